/** Which legal moves are meant by the things that have been touched. No rules: a move is a text from the server, and
 *  `things` are the names of what it mentions. Touching a thing keeps the moves that mention it. Pure. */

import type { Move } from "../types";

export interface Named extends Move {
  things: string[];
}

/**
 * The name of a thing; equal things on the board are told apart by what follows `~`: `hand:8~1` is one of the eights.
 */
export function nameOf(id: string): string {
  return id.split("~")[0] as string;
}

function count(things: readonly string[], name: string): number {
  return things.filter((thing) => thing === name).length;
}

/** The moves that mention everything chosen, each as often; of the things that begin with `oneOf`, any one of them. */
export function kept(moves: readonly Named[], chosen: readonly string[], oneOf = ""): Named[] {
  const names = chosen.map(nameOf);
  const either = oneOf ? names.filter((name) => name.startsWith(oneOf)) : [];
  const all = names.filter((name) => !either.includes(name));
  return moves.filter(
    ({ things }) =>
      all.every((name) => count(things, name) >= count(all, name)) &&
      (!either.length || either.some((name) => things.includes(name))),
  );
}

/** The names of the things that can be touched next. */
export function offered(moves: readonly Named[], chosen: readonly string[], oneOf = ""): Set<string> {
  const names = chosen.map(nameOf);
  const open = new Set<string>();
  for (const { things } of kept(moves, chosen, oneOf)) {
    for (const thing of things) if (count(things, thing) > count(names, thing)) open.add(thing);
  }
  return open;
}

/** What is chosen after a touch: one more thing, one less, or the thing alone; null when no move mentions it. */
export function touched(moves: readonly Named[], chosen: readonly string[], id: string, oneOf = ""): string[] | null {
  if (chosen.includes(id)) return chosen.filter((each) => each !== id);
  if (kept(moves, [...chosen, id], oneOf).length) return [...chosen, id];
  return kept(moves, [id], oneOf).length ? [id] : null;
}

/** The one move that is left, if there is one; a thing of which others could stand in is no choice by itself. */
export function settled(moves: readonly Named[], chosen: readonly string[], oneOf = ""): Named | null {
  if (!chosen.some((id) => !oneOf || !id.startsWith(oneOf))) return null;
  const left = kept(moves, chosen, oneOf);
  return left.length === 1 ? (left[0] as Named) : null;
}
