/** An analysis in sentences. Pure. */

import { _ } from "../gettext";
import { percent, points } from "../review/curve";
import type { Decision, Seat } from "../types";
import { nameOf } from "../words";
import type { Analysis, LuckEntry, MoveValue } from "./types";

/** Standard errors after ±. */
const BAND = 2;
/** Standard errors from which on a lead is certain. */
const CERTAIN = 4;

const band = (error: number): number => Math.max(1, Math.ceil(100 * BAND * error - 0.1));
/** A gain in points of 100, with its sign. */
export const signed = (share: number): string => {
  const value = percent(share);
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0";
};

export const chanceOf = (chance: number, error: number): string => `${percent(chance)} % ± ${band(error)}`;
/** What a move costs beside the best one. */
export const costOf = (move: MoveValue): string =>
  move.cost_error ? `${percent(move.cost)} ± ${band(move.cost_error)}` : "0";

/** How sure it is which move is best; "" without a choice. */
export function sureness({ moves: [best, ...others], words }: Analysis): string {
  if (!best || !others.length) return "";
  const leadOf = (move: MoveValue): number => move.cost / move.cost_error;
  const near = others.reduce((one, other) => (leadOf(other) < leadOf(one) ? other : one));
  const values = { move: words[best.move] ?? best.move, other: words[near.move] ?? near.move };
  if (leadOf(near) >= CERTAIN) return _("“{move}” is the best move, almost certainly.", values);
  if (leadOf(near) >= BAND) return _("“{move}” is better than “{other}”, probably.", values);
  return _("Whether “{move}” or “{other}” is better is not certain yet.", values);
}

/** What the step was worth to a seat: `before` is the version of the step before. */
export function luckOf(
  entries: readonly LuckEntry[],
  step: { before: number; version: number },
  seat: number,
  seats: readonly Seat[],
): string[] {
  const here = entries.filter(({ version }) => version > step.before && version <= step.version);
  const titles: Record<string, string> = {
    chance: _("luck"),
    unexplained: _("not explained"),
    table: _("a departure"),
  };
  const worth = new Map<string, number>();
  for (const { sort, seat: who, gains } of here) {
    const title = who === null ? (titles[sort] ?? sort) : _("the decision of {name}", { name: nameOf(seats, who) });
    worth.set(title, (worth.get(title) ?? 0) + (gains[seat] ?? 0));
  }
  return [...worth].map(([title, gain]) => `${title} ${signed(gain)}`);
}

/** The decision of a review that was made in this moment. */
export function decisionAt(decisions: readonly Decision[], version: number): Decision | undefined {
  return decisions.find((decision) => decision.version <= version && version < decision.event);
}

/** What the server's review says of a decision. */
export function reviewed({ mark, cost, error }: Decision): string {
  if (mark === "best") return _("No better move was found.");
  if (cost === null || error === null) return _("It was not measured.");
  const values = { points: points(cost), error: band(error) };
  if (mark === "mistake") return _("A mistake: it cost {points}, ± {error}.", values);
  return _("No move was certainly better: the difference was {points}, ± {error}.", values);
}

/** How many games were played on: for the chance, and for the moves. */
export const samplesOf = ({ samples, moves }: Analysis): number =>
  moves.reduce((sum, { worlds }) => sum + worlds, samples);
