/** Reads what the board of Palace draws, from an observation and its event. It knows no rules. */

import { cardName, cardNames, rankText } from "../../../cards";
import { _, ngettext } from "../../../gettext";
import type { Frame } from "../../../types";

export const FACE_DOWN = "??";

export type PalaceSeatObservation = {
  hand: string[] | null;
  hand_count: number;
  /** "??" while a choice is hidden; empty before the choice and after the cards were taken up. */
  upper: string[];
  /** Three places: a face-down card, a card that everybody knows, or null if the card is gone. */
  under: (string | null)[];
  /** The card of a chance; "??" for a viewer who may not see it. */
  drawn: string | null;
  cards: number;
  place: number | null;
};

export type PalaceObservation = {
  phase: string;
  turn: number | null;
  direction: number;
  turns: number;
  to_act: number[];
  stack: number;
  pile: string[];
  current: string | null;
  run: number;
  demanded: boolean;
  cleared: string[];
  thrown: { seat: number; rank: string } | null;
  uncalled: number[];
  out: number[];
  options: { ace: string; joker: string; placings: string };
  seats: PalaceSeatObservation[];
};

/** One of a seat's three stands: the upper and the lower card, or null. */
export interface Stand {
  over: string | null;
  under: string | null;
}

export interface PalaceSeat {
  seat: number;
  hand: string[] | null;
  count: number;
  stands: Stand[];
  drawn: string | null;
  cards: number;
  turn: boolean;
  /** A word or two about the seat. */
  note: string;
  /** What is drawn of the seat, in words. */
  words: string;
}

export interface PalaceBoard {
  pile: string[];
  /** The number of cards below the visible ones. */
  below: number;
  current: string;
  /** The number of cards in the pile, as the end of the text `current`; "" for none. */
  size: string;
  name: string;
  stack: number;
  cleared: number;
  note: string;
  seats: PalaceSeat[];
}

const IN_SIGHT = 5;

type PalaceEvent = {
  type: string;
  seat?: number;
  count?: number;
  cards?: (string | null)[];
};

export function palaceBoard(frame: Frame, names: readonly string[]): PalaceBoard {
  const seen = frame.observation as PalaceObservation;
  const event = frame.event as PalaceEvent;
  return {
    pile: seen.pile.slice(-IN_SIGHT),
    below: Math.max(0, seen.pile.length - IN_SIGHT),
    current: currentText(seen),
    size: seen.pile.length ? ` · ${ngettext("{count} card", "{count} cards", seen.pile.length)}` : "",
    name: seen.pile.length
      ? ngettext(
          "Discard pile, {count} card: {cards}",
          "Discard pile, {count} cards, from below: {cards}",
          seen.pile.length,
          { cards: cardNames(seen.pile) },
        )
      : _("The discard pile is empty"),
    stack: seen.stack,
    cleared: seen.cleared.length,
    note: noteText(seen, names),
    seats: seen.seats.map((each, seat) => seatOf(each, seat, seen, event)),
  };
}

function seatOf(each: PalaceSeatObservation, seat: number, seen: PalaceObservation, event: PalaceEvent): PalaceSeat {
  const stands = each.under.map((under, place) => ({ over: each.upper[place] ?? null, under }));
  const turn = seen.turn === null ? seen.phase === "choose" && !each.upper.length : seen.turn === seat;
  const note = noteOf(each, seat, seen, event);
  return {
    seat,
    hand: each.hand,
    count: each.hand_count,
    stands,
    drawn: each.drawn,
    cards: each.cards,
    turn,
    note,
    words: wordsOf(each, turn, note),
  };
}

function noteOf(each: PalaceSeatObservation, seat: number, seen: PalaceObservation, event: PalaceEvent): string {
  if (each.place !== null)
    return seen.options.placings === "winner" ? _("wins") : _("place {number}", { number: each.place });
  if (seen.uncalled.includes(seat)) return _("did not call “last card”");
  if (event.type === "called" && (event as { owner?: number }).owner === seat)
    return _("called: took {count}", { count: event.count ?? 0 });
  if (seat !== event.seat) return "";
  if (event.type === "took" || event.type === "kept" || event.type === "failed")
    return _("took {count}", { count: event.count ?? 0 });
  return event.type === "drew" ? _("drew {count}", { count: event.cards?.length ?? 0 }) : "";
}

/** Return "3 cards in hand: …; palace: …, over 3 face-down cards". */
function wordsOf(each: PalaceSeatObservation, turn: boolean, note: string): string {
  const closed = each.under.filter((card) => card === FACE_DOWN).length;
  const known = each.under.filter((card): card is string => card !== null && card !== FACE_DOWN);
  const upper = each.upper.includes(FACE_DOWN) ? _("chosen, not shown yet") : cardNames(each.upper);
  return [
    each.hand
      ? ngettext("{count} card in hand: {hand}", "{count} cards in hand: {hand}", each.hand_count, {
          hand: cardNames(each.hand),
        })
      : ngettext("{count} card in hand", "{count} cards in hand", each.hand_count),
    _("upper palace {cards}", { cards: upper }),
    ngettext("{count} face-down card", "{count} face-down cards", closed),
    ...known.map((card) => _("face down, but seen: {card}", { card: cardName(card) })),
    ...(each.drawn
      ? [each.drawn === FACE_DOWN ? _("has chanced a card") : _("has chanced {card}", { card: cardName(each.drawn) })]
      : []),
    ...(note ? [note] : []),
    ...(turn ? [_("to move")] : []),
  ].join("; ");
}

/** Return what lies in one place of a palace, in words. */
export function standText({ over, under }: Stand): string {
  if (over !== null) return over === FACE_DOWN ? _("face down") : cardName(over);
  if (under === null) return _("empty");
  return under === FACE_DOWN ? _("face down") : _("face down, but seen: {card}", { card: cardName(under) });
}

/** Return the text below the pile: "8 is current". */
function currentText(seen: PalaceObservation): string {
  if (!seen.pile.length) return _("empty: any card can lead");
  if (seen.current === null) return _("no card is current");
  const rank = rankText(seen.current);
  return seen.run > 1
    ? _("{ranks} in a row", { ranks: Array(seen.run).fill(rank).join(" ") })
    : _("{rank} is current", { rank });
}

/** Return what the players who are to act must do. */
function noteText(seen: PalaceObservation, names: readonly string[]): string {
  if (seen.phase === "choose") return _("All players choose an upper palace.");
  if (seen.turn === null) return "";
  const name = names[seen.turn] ?? "";
  if (seen.phase === "drawn") return _("{name} has drawn a card and must play or keep it.", { name });
  if (seen.phase === "look") return _("{name} looks at one of two face-down cards.", { name });
  if (seen.demanded) return _("{name} must continue.", { name });
  if (seen.current === "A" && seen.options.ace === "threat") return _("An ace threatens {name}.", { name });
  return "";
}
