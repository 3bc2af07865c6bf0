/** Reads what the board of Platinum Fish draws, from an observation and its event. It knows no rules. */

import { cardNames, rankName, rankText } from "../../../cards";
import { _, listed } from "../../../gettext";
import type { Viewpoint, Frame } from "../../../types";

export type FishObservation = {
  seat: number | null;
  turn: number | null;
  turns: number;
  to_act: number[];
  hand: string[] | null;
  hands?: (string[] | null)[];
  hand_counts: number[];
  shown: string[][];
  matches: string[][][];
  scores: number[];
  deck: number;
  deck_order: string[] | null;
  discard: string[];
  dice: number[];
  ranks: string[];
  fish: string[] | null;
};

export interface FishRank {
  rank: string;
  text: string;
  /** The deck is known to have no card of this rank. */
  out: boolean;
}

export interface FishSeat {
  seat: number;
  /** Open cards, and null for each card that is hidden from the viewpoint. */
  hand: (string | null)[];
  count: number;
  matches: string[][];
  /** The ranks of the matches, for a board without room for cards. */
  ranks: string;
  score: number;
  /** The number of last matches that came with this event. */
  fresh: number;
  turn: boolean;
  /** The seat was asked or has to choose during the turn of another seat. */
  called: boolean;
}

export interface FishBoard {
  deck: number;
  /** The deck from its top, if the viewpoint sees it. */
  order: string[];
  top: string | null;
  discard: number;
  dice: number[];
  ranks: FishRank[];
  /** A sentence about the ranks that the dice allow but the deck lacks. */
  said: string;
  seats: FishSeat[];
}

type FishEvent = {
  type: string;
  seat?: number;
  mate?: string | null;
  matches?: string[][];
};

/** The events that end a turn. The board still shows the roll after them. */
const LAST_OF_TURN = ["fished", "asked", "declined"];

/** `before` is the previous frame. Its roll is shown if `frame` ends the turn. */
export function fishBoard(frame: Frame, before: Frame | undefined, viewpoint: Viewpoint): FishBoard {
  const seen = frame.observation as FishObservation;
  const event = frame.event as FishEvent;
  const roll = LAST_OF_TURN.includes(event.type) && before ? (before.observation as FishObservation) : seen;
  return {
    deck: seen.deck,
    order: seen.deck_order ?? [],
    top: seen.discard.at(-1) ?? null,
    discard: seen.discard.length,
    dice: roll.dice,
    ranks: roll.ranks.map((rank) => ({
      rank,
      text: rankText(rank),
      out: roll.fish !== null && !roll.fish.includes(rank),
    })),
    said: said(roll),
    seats: seen.hand_counts.map((count, seat) => ({
      seat,
      hand: handOf(seen, seat, viewpoint),
      count,
      matches: seen.matches[seat] ?? [],
      ranks: (seen.matches[seat] ?? []).map(([card]) => rankText(card ?? "")).join(" "),
      score: seen.scores[seat] ?? 0,
      fresh: seat === event.seat ? (event.mate ? 1 : (event.matches?.length ?? 0)) : 0,
      turn: seen.turn === seat,
      called: seen.to_act.includes(seat) && seen.turn !== seat,
    })),
  };
}

/** Return a hand from a viewpoint: all cards, or the cards that everybody has seen and null for the rest. */
function handOf(seen: FishObservation, seat: number, viewpoint: Viewpoint): (string | null)[] {
  const own = seen.hands?.[seat] ?? (viewpoint === String(seat) ? seen.hand : null);
  if (own) return own;
  const shown = seen.shown[seat] ?? [];
  return [...shown, ...new Array<null>((seen.hand_counts[seat] ?? 0) - shown.length).fill(null)];
}

/** Return "The deck holds no 5 and no 6", or "" before the roll and after the last card. */
function said(seen: FishObservation): string {
  if (!seen.ranks.length || !seen.deck) return "";
  if (seen.fish === null) return _("The roller searches the deck");
  const missing = seen.ranks
    .filter((rank) => !seen.fish?.includes(rank))
    .map((rank) => _("no {rank}", { rank: rankName(rank) }));
  return missing.length ? _("The deck holds {ranks}", { ranks: listed(missing) }) : _("The deck holds all of them");
}

/** Return "Rolled 5 and 6: 5, 6, jack. The deck holds no jack". */
export function rollName(board: FishBoard): string {
  const [one, two] = board.dice;
  const ranks = board.ranks.map(({ rank }) => rankName(rank)).join(", ");
  return `${_("Rolled {one} and {two}: {ranks}.", { one: one ?? 0, two: two ?? 0, ranks })} ${board.said}`;
}

/** Return the visible cards of a hand in words. */
export function handName(seat: FishSeat): string {
  const open = seat.hand.filter((card) => card !== null);
  if (!open.length) return _("hidden");
  const closed = seat.count - open.length;
  return closed ? _("{cards} and {count} hidden", { cards: cardNames(open), count: closed }) : cardNames(open);
}
