/** Short texts of the controls and of the list of moves, which come after the first drawing. */

import { _, listed } from "../gettext";
import type { Pace } from "../playing";
import type { Frame, Replay, Seat } from "../types";
import { actors, nameOf, span, spoken } from "../words";

/** Return "Idris 120, Nora 105". */
export function scoreLine(scores: readonly number[], seats: readonly Seat[]): string {
  return scores.map((score, seat) => `${nameOf(seats, seat)} ${score}`).join(", ");
}

/** Return what the scrubber's handle says to a screen reader. */
export function placeText(replay: Replay, at: number): string {
  const frame = replay.frames[at];
  if (!frame) return "";
  const scores = scoreLine(replay.scores[at] ?? [], replay.game.seats);
  const event = _("Step {number} of {count}:", { number: frame.version, count: replay.version });
  return `${event} ${spoken(frame.parts, replay.game.seats)} ${replay.ground.title}: ${scores}`;
}

/** Return the time from the game's start to a frame. */
export function elapsed(frame: Frame): string {
  return span(frame.ms);
}

/** Return the address of a clause of the rules. */
export function rulesLink(rules: string, clause = ""): string {
  return clause ? `${rules}#${clause.toLowerCase()}` : rules;
}

export const PACE_WORDS: Record<Pace, string> = {
  even: _("Even pace"),
  moments: _("Slow at highlights"),
  real: _("Real time"),
};

/** Return who moves next, what they are asked for, and how long they have: "Next: Martha: a card · 10 s a move". */
export function nextText({ frames, game, asks }: Replay, clock: string): string {
  const seen = frames.at(-1)?.observation ?? {};
  const seats = typeof seen.turn === "number" ? [seen.turn] : actors(seen); // others may act, too, and need not
  const names = listed(seats.map((seat) => nameOf(game.seats, seat)));
  if (!names) return "";
  const time = clock.replace(/;.*/, ""); // without what follows when it runs out
  return [asks ? _("Next: {names}: {asked}", { names, asked: asks }) : _("Next: {names}", { names }), time]
    .filter(Boolean)
    .join(" · ");
}
