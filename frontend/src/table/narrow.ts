/**
 * Finds the legal moves that match the things a player has touched. It knows no rules: a move is a text from the
 * server, and `things` are the names that it mentions. Each touch leaves the moves that mention the thing. Pure.
 */

import type { Move } from "../types";

export interface Named extends Move {
  things: string[];
}

/**
 * Return the name of a thing: its id up to `~`. Equal things on the board differ after it: `hand:8~1` is one of the
 * eights.
 */
export function nameOf(id: string): string {
  return id.split("~")[0] as string;
}

function count(things: readonly string[], name: string): number {
  return things.filter((thing) => thing === name).length;
}

/**
 * Return the moves that mention every chosen thing as often. Things that begin with `oneOf` can stand for each other.
 */
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

/** Return the names of the things that can be touched next. */
export function offered(moves: readonly Named[], chosen: readonly string[], oneOf = ""): Set<string> {
  const names = chosen.map(nameOf);
  const open = new Set<string>();
  for (const { things } of kept(moves, chosen, oneOf)) {
    for (const thing of things) if (count(things, thing) > count(names, thing)) open.add(thing);
  }
  return open;
}

/** Return the choice after a touch: the thing is added, removed, or chosen alone. Null if no move mentions it. */
export function touched(moves: readonly Named[], chosen: readonly string[], id: string, oneOf = ""): string[] | null {
  if (chosen.includes(id)) return chosen.filter((each) => each !== id);
  if (kept(moves, [...chosen, id], oneOf).length) return [...chosen, id];
  return kept(moves, [id], oneOf).length ? [id] : null;
}

/**
 * Return the only move that is left, or null; of moves that all come to the `same`, the first. A thing for which others
 * could stand is not a choice by itself.
 */
export function settled(
  moves: readonly Named[],
  chosen: readonly string[],
  oneOf = "",
  same: (one: Named, other: Named) => boolean = () => false,
): Named | null {
  if (!chosen.some((id) => !oneOf || !id.startsWith(oneOf))) return null;
  const [first, ...others] = kept(moves, chosen, oneOf);
  return first && others.every((each) => same(first, each)) ? first : null;
}
