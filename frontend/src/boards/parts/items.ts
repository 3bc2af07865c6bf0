/** Ids and items that several kinds share. */

import { cardName } from "../../cards";
import type { Item } from "../contract";

/** Return the name in an id: "7" of `hand:7~1`. */
export const named = (id: string): string => id.split("~")[0]?.split(":")[1] ?? "";

export const each = (sort: string, ranks: string): string[] => [...ranks].map((rank) => `${sort}:${rank}`);

/** Return cards as items. The ids of equal ranks differ by a number. */
export function cardsOf(sort: string, cards: readonly string[], label = cardName): Item[] {
  const seen: Record<string, number> = {};
  return cards.map((card) => {
    const rank = card[0] ?? "";
    const place = (seen[rank] = (seen[rank] ?? -1) + 1);
    return { id: `${sort}:${rank}~${place}`, label: label(card), card };
  });
}
