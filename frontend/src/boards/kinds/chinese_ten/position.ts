/** Reads what the board of Chinese Ten draws, from an observation and its event. It knows no rules. */

import { cardName } from "../../../cards";
import { _ } from "../../../gettext";
import type { Viewpoint, Frame } from "../../../types";

export type TenObservation = {
  seat: number | null;
  turn: number | null;
  hand: string[] | null;
  hands?: (string[] | null)[];
  hand_counts: number[];
  spots: string[][];
  flipped: string | null;
  deck: number;
  piles: string[][];
  points: number[];
};

export interface Spot {
  number: number;
  /** The visible cards from the lowest to the top card. */
  cards: string[];
  /** The number of further cards below those. */
  below: number;
  /** A flipped card may go here. */
  offered: boolean;
  /** This event took a card from here. */
  taken: boolean;
  name: string;
}

export interface TenSeat {
  seat: number;
  hand: string[] | null;
  count: number;
  points: number;
  /** The last two cards of the scoring pile. */
  won: string[];
  pile: number;
  fresh: boolean;
  turn: boolean;
}

export interface TenBoard {
  spots: Spot[];
  seats: TenSeat[];
  deck: number;
  flipped: string | null;
  /** The cards are dealt. False only in a game that ended before it began. */
  dealt: boolean;
}

const IN_SIGHT = 3;
const TAKES = ["captured", "took"];

export function tenBoard(frame: Frame, viewpoint: Viewpoint): TenBoard {
  const seen = frame.observation as TenObservation;
  const { type, spot, seat } = frame.event as { type: string; spot?: number; seat?: number };
  return {
    deck: seen.deck,
    flipped: seen.flipped,
    dealt: [seen.hand_counts, seen.piles.map((pile) => pile.length)].flat().some((count) => count > 0),
    spots: seen.spots.map((cards, place) => {
      const here = spot === place + 1;
      return {
        number: place + 1,
        cards: cards.slice(-IN_SIGHT),
        below: Math.max(0, cards.length - IN_SIGHT),
        taken: here && TAKES.includes(type),
        offered: frame.offers.includes(place + 1),
        name: spotName(place + 1, cards),
      };
    }),
    seats: seen.hand_counts.map((count, each) => ({
      seat: each,
      hand: seen.hands?.[each] ?? (viewpoint === String(each) ? seen.hand : null),
      count,
      points: seen.points[each] ?? 0,
      won: (seen.piles[each] ?? []).slice(-2),
      pile: (seen.piles[each] ?? []).length,
      fresh: each === seat && TAKES.includes(type),
      turn: seen.turn === each,
    })),
  };
}

/** Return "Spot 1: 5 of clubs, covering 8 of spades". */
export function spotName(number: number, cards: readonly string[]): string {
  const [top, ...covered] = [...cards].reverse();
  if (!top) return _("Spot {number}: empty", { number });
  if (!covered.length) return _("Spot {number}: {card}", { number, card: cardName(top) });
  return _("Spot {number}: {card}, covering {cards}", {
    number,
    card: cardName(top),
    cards: covered.map(cardName).join(", "),
  });
}
