/** Reads what the board of Plates draws, from an observation and its event. It knows no rules. */

import { cardName, cardNames, rankText } from "../../../cards";
import { _, ngettext } from "../../../gettext";
import type { Frame } from "../../../types";

export const FACE_DOWN = "??";

export type PlatesSeatObservation = {
  primary: string[] | null;
  primary_count: number;
  revealed: string[];
  unseen: (string | null)[];
  points: number[];
  total: number;
};

export type PlatesObservation = {
  phase: string;
  round: number;
  rounds: number;
  dealer: number;
  to_act: number[];
  turns: number;
  plate: string[];
  run: number;
  cleared: string[];
  out: number | null;
  last_turns: number;
  seats: PlatesSeatObservation[];
  aside_count: number;
};

export interface PlatesSeat {
  seat: number;
  primary: string[] | null;
  count: number;
  revealed: string[];
  /** The four places of the unseen cards: a card as text, a face-down card, or null if the card is gone. */
  unseen: (string | null)[];
  total: number;
  turn: boolean;
  out: boolean;
  /** What this event did to the seat's hands, in a word or two. */
  note: string;
}

export interface PlatesBoard {
  plate: string[];
  /** The number of cards below the visible ones. */
  below: number;
  run: string;
  name: string;
  note: string;
  cleared: number;
  aside: number;
  seats: PlatesSeat[];
}

const IN_SIGHT = 6;

export function platesBoard(frame: Frame, names: readonly string[]): PlatesBoard {
  const seen = frame.observation as PlatesObservation;
  const event = frame.event as { type: string; seat?: number; count?: number };
  return {
    plate: seen.plate.slice(-IN_SIGHT),
    below: Math.max(0, seen.plate.length - IN_SIGHT),
    run: runText(seen, event.type),
    name: plateName(seen),
    note: noteText(seen, names),
    cleared: seen.cleared.length,
    aside: seen.aside_count,
    seats: seen.seats.map((each, seat) => ({
      seat,
      primary: each.primary,
      count: each.primary_count,
      revealed: each.revealed,
      unseen: each.unseen,
      total: each.total,
      turn: seen.to_act.includes(seat),
      out: seen.out === seat,
      note: seat === event.seat && event.type === "took" ? _("took {count}", { count: event.count ?? 0 }) : "",
    })),
  };
}

/** Return the text on the plate's edge: "9 9 · 2 in a row". */
function runText(seen: PlatesObservation, type: string): string {
  const top = seen.plate.at(-1);
  if (!top) return type === "cleared" ? _("cleared") : _("empty");
  const rank = rankText(top);
  if (seen.run < 2) return _("{rank} on top", { rank });
  const ranks = seen.run < 5 ? Array(seen.run).fill(rank).join(" ") : rank;
  return `${ranks} · ${_("{count} in a row", { count: seen.run })}`;
}

/** Return "The plate, six cards, from below: …". */
function plateName(seen: PlatesObservation): string {
  if (!seen.plate.length) return _("The plate is empty");
  return ngettext(
    "The plate, {count} card: {cards}",
    "The plate, {count} cards, from below: {cards}",
    seen.plate.length,
    { cards: seen.plate.map(cardName).join(", ") },
  );
}

/** Return the number of the turn in its round, with the limit that ends the round (PL-23). */
export function turnText(turns: number, options: Record<string, unknown>): string {
  const limit = Number(options.turn_limit ?? 0);
  if (!limit) return _("turn {number}", { number: turns + 1 });
  return _("turn {number} of at most {limit}", { number: Math.min(turns + 1, limit), limit });
}

/** Return the unseen cards in words: their number, or the cards once a round has shown them (PL-21). */
export function unseenText(unseen: readonly (string | null)[]): string {
  const left = unseen.filter((card): card is string => card !== null);
  if (!left.length || left.includes(FACE_DOWN)) return _("{count} unseen", { count: left.length });
  return _("unseen, now shown: {cards}", { cards: cardNames(left) });
}

/** Return a sentence about the end of the round, or "". */
function noteText(seen: PlatesObservation, names: readonly string[]): string {
  if (seen.out === null || seen.phase === "scored" || seen.phase === "over") return "";
  return ngettext(
    "{name} has no cards left: {count} more turn.",
    "{name} has no cards left: {count} more turns.",
    seen.last_turns,
    { name: names[seen.out] ?? "" },
  );
}
