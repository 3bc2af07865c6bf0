/** An observation with the ids of items in place of their print, as the board reads it. */

import type { Observation } from "../../../types";

interface Printed {
  id: string;
  sort?: string;
  colour?: string | null;
  rim?: Printed | null;
  filled?: unknown;
  free?: number;
}

/** Return the ids of items that are given by their ids or by their print. */
export const idsOf = (items: unknown): string[] =>
  (items as (Printed | string)[]).map((item) => (typeof item === "string" ? item : item.id));

export function slim(seen: Observation): Observation {
  const { market, players: seats } = seen as { market: (Printed | string)[]; players: { plates: Printed[] }[] };
  const all = [...market, ...seats.flatMap(({ plates }) => plates)];
  if (all.every((item) => typeof item === "string" || item.sort === undefined)) return seen;
  const players = seats.map((player) => ({
    ...player,
    plates: player.plates.map(({ id, rim, filled, free, sort, colour }) => ({
      id,
      rim: rim?.id ?? null,
      filled,
      free,
      ...(sort === "star" ? { colour } : {}),
    })),
  }));
  return { ...seen, market: idsOf(seen.market), loose: idsOf(seen.loose), players };
}
