/** Reads from the address which positions a page of the gallery shows. */

import { golden, type Golden, KINDS, sizes } from "../browser/golden";

export interface Query {
  kind: string;
  seats: number;
  /** "all", "public", or a seat's number; "table" is the table of the seat whose turn it is. */
  viewpoint: string;
  /** The kind's own board, or the generic one. */
  board: "own" | "general";
}

export function queryOf(search: string): Query {
  const asked = new URLSearchParams(search);
  const kind = asked.get("kind") ?? KINDS[0];
  const counts = sizes(kind);
  const seats = Number(asked.get("seats"));
  return {
    kind,
    seats: counts.includes(seats) ? seats : (counts[0] as number),
    viewpoint: asked.get("viewpoint") ?? "all",
    board: asked.get("board") === "general" ? "general" : "own",
  };
}

/** Return the game of a query. For the generic board it gets an unknown kind. */
export function gameOf({ kind, seats, board }: Query): Golden {
  const game = golden(kind, seats);
  return board === "general" ? { ...game, kind: `general_${kind}` } : game;
}

/** Return the moments that a query shows: all, or at a table those with a legal move. */
export function placesOf(game: Golden, viewpoint: string): number[] {
  const can = (place: number): boolean => game.moments[place]?.seats.some(({ legal }) => legal.length) ?? false;
  return [...game.moments.keys()].filter((place) => viewpoint !== "table" || can(place));
}
