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
    const there = frame ? shown(zonesOf(frame, seatsOf(frame))) : new Set();
    return cardsOf(move).flatMap((card) => (there.has(card) ? [`card:${card}`] : []));
  },
  zones(frame, turn) {
    const hands = zonesOf(frame, seatsOf(frame)).filter(({ sort, seat }) => sort === "hand" && seat === turn.seat);
    return hands.map(({ title, items }) => ({
      title: hands.length > 1 ? title : _("Your hand"),
      sort: "hand",
      items: itemsOf(items),
    }));
  },
  /** Return a legal move with the touched card in place of its own card. */
  attempt(id, _chosen, legal) {
    const like = legal.map(({ move }) => [move, cardsOf(move)] as const).find(([, cards]) => cards.length === 1);
    return like ? like[0].replace(like[1][0] ?? "", nameOf(id)) : "";
  },
};
