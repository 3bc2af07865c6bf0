/** What the board of Platinum Fish draws, from an observation and the event that led to it. No rules: only reading. */

import { cardNames, rankName, rankText } from "../../../cards";
import { _, listed } from "../../../gettext";
import type { Eyes, Frame } from "../../../types";

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
  /** The deck is known to hold none. */
  out: boolean;
}

export interface FishSeat {
  seat: number;
  /** Open cards, and null for each that is closed to these eyes. */
  hand: (string | null)[];
  count: number;
  matches: string[][];
  /** The ranks of the matches, where there is no room for cards. */
  ranks: string;
  score: number;
  /** How many of the last matches came with this event. */
  fresh: number;
  turn: boolean;
  /** Asked, or choosing, while it is somebody else's turn. */
  called: boolean;
}

export interface FishBoard {
  deck: number;
  /** The deck from its top, where these eyes see it. */
  order: string[];
  top: string | null;
  discard: number;
  /** The top of the discard pile came with this event. */
  fresh: boolean;
  dice: number[];
  ranks: FishRank[];
  /** What the dice allow and the deck has, in words. */
  said: string;
  seats: FishSeat[];
}

type FishEvent = {
  type: string;
  seat?: number;
  card?: string;
  mate?: string | null;
  matches?: string[][];
};

/** What the last move of a turn leaves to be seen: its roll. */
const LAST_OF_TURN = ["fished", "asked", "declined"];

/** `before`: the frame that came before, whose roll is still shown where `frame` ends the turn. */
export function fishBoard(frame: Frame, before: Frame | undefined, eyes: Eyes): FishBoard {
  const seen = frame.observation as FishObservation;
  const event = frame.event as FishEvent;
  const roll = LAST_OF_TURN.includes(event.type) && before ? (before.observation as FishObservation) : seen;
  return {
    deck: seen.deck,
    order: seen.deck_order ?? [],
    top: seen.discard.at(-1) ?? null,
    discard: seen.discard.length,
    fresh: event.type === "turned" || (event.type === "drew" && !event.mate),
    dice: roll.dice,
    ranks: roll.ranks.map((rank) => ({
      rank,
      text: rankText(rank),
      out: roll.fish !== null && !roll.fish.includes(rank),
    })),
    said: said(roll),
    seats: seen.hand_counts.map((count, seat) => ({
      seat,
      hand: handOf(seen, seat, eyes),
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

/** A hand as these eyes see it: all of it, or the cards that everybody has seen and backs for the rest. */
function handOf(seen: FishObservation, seat: number, eyes: Eyes): (string | null)[] {
  const own = seen.hands?.[seat] ?? (eyes === String(seat) ? seen.hand : null);
  if (own) return own;
  const shown = seen.shown[seat] ?? [];
  return [...shown, ...new Array<null>((seen.hand_counts[seat] ?? 0) - shown.length).fill(null)];
}

/** "The deck holds no 5 and no 6"; nothing before the roll. */
function said(seen: FishObservation): string {
  if (!seen.ranks.length) return "";
  if (seen.fish === null) return _("The roller searches the deck");
  const missing = seen.ranks
    .filter((rank) => !seen.fish?.includes(rank))
    .map((rank) => _("no {rank}", { rank: rankName(rank) }));
  return missing.length ? _("The deck holds {ranks}", { ranks: listed(missing) }) : _("The deck holds all of them");
}

/** "Rolled 5 and 6: 5, 6, jack. The deck holds no jack". */
export function rollName(board: FishBoard): string {
  const [one, two] = board.dice;
  const ranks = board.ranks.map(({ rank }) => rankName(rank)).join(", ");
  return `${_("Rolled {one} and {two}: {ranks}.", { one: one ?? 0, two: two ?? 0, ranks })} ${board.said}`;
}

/** What of a hand can be seen, in words. */
export function handName(seat: FishSeat): string {
  const open = seat.hand.filter((card) => card !== null);
  if (!open.length) return _("hidden");
  const closed = seat.count - open.length;
  return closed ? _("{cards} and {count} hidden", { cards: cardNames(open), count: closed }) : cardNames(open);
}
