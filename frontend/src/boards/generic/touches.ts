/** How touches become moves in a kind without its own code: a move uses the cards that its text names. */

import { _ } from "../../gettext";
import type { Frame, TableZone } from "../../types";
import type { Item, Touches } from "../contract";
import { named as nameOf } from "../parts/items";
import { isCard, named, zonesOf } from "./zones";

const seatsOf = ({ observation }: Frame): number => {
  const { seats, players, scores } = observation;
  if (typeof seats === "number") return seats;
  const lists = [seats, players, scores].filter(Array.isArray);
  return lists[0]?.length ?? 0;
};

/** Moves with which somebody draws, by their first word. */
const DRAWS = /^(?:draw|pick|take|stock)\b/i;
/** The id of the stock. */
export const STOCK = "pile:stock";
const hidden = ({ sort, seat, items, count }: TableZone): boolean =>
  sort === "pile" && seat === null && count > 0 && (items.at(-1) ?? null) === null;
/** Return whether a zone is the stock: the only pile in the middle of which no card is seen. */
export const isStock = (zone: TableZone, zones: readonly TableZone[]): boolean =>
  hidden(zone) && zones.filter(hidden).length === 1;
const SUITS = "SHDC";
const RANKS = "23456789TJQKA";
/** Return the cards by suit and rank; hidden cards and jokers come last. */
function sorted(cards: readonly (string | null)[]): (string | null)[] {
  const place = (card: string | null): number => {
    const [suit, rank] = [SUITS.indexOf(card?.[1] ?? "-"), RANKS.indexOf(card?.[0] ?? "-")];
    return suit < 0 ? 100 : 20 * suit + rank;
  };
  return [...cards].sort((one, other) => place(one) - place(other));
}

const cardsOf = (move: string): string[] => move.split(/[^\w*]+/).filter(isCard);

/** Return the cards that a frame shows. */
function shown(zones: readonly TableZone[]): Set<string> {
  return new Set(
    zones.flatMap(({ sort, items }) => (sort === "pile" ? items.slice(-1) : items)).filter((item) => item !== null),
  );
}

/** Return cards as items. The ids of equal cards differ by a number. */
function itemsOf(cards: readonly (string | null)[]): Item[] {
  const places: Record<string, number> = {};
  return cards.flatMap((card) => {
    if (card === null) return [];
    const place = (places[card] = (places[card] ?? -1) + 1);
    return [{ id: `card:${card}~${place}`, label: named(card), card }];
  });
}

export const touches: Touches = {
  things(move, frame) {
    const zones = frame ? zonesOf(frame, seatsOf(frame)) : [];
    const cards = cardsOf(move);
    if (!cards.length && DRAWS.test(move) && zones.some((zone) => isStock(zone, zones))) return [STOCK];
    const there = shown(zones);
    return cards.flatMap((card) => (there.has(card) ? [`card:${card}`] : []));
  },
  zones(frame, turn) {
    const hands = zonesOf(frame, seatsOf(frame)).filter(({ sort, seat }) => sort === "hand" && seat === turn.seat);
    return hands.map(({ title, items }) => ({
      title: hands.length > 1 ? title : _("Your hand"),
      sort: "hand",
      items: itemsOf(sorted(items)),
    }));
  },
  /** Return a legal move with the touched card in place of its own card. */
  attempt(id, _chosen, legal) {
    const like = legal.map(({ move }) => [move, cardsOf(move)] as const).find(([, cards]) => cards.length === 1);
    return like ? like[0].replace(like[1][0] ?? "", nameOf(id)) : "";
  },
};
