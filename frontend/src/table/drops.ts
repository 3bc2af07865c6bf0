/**
 * Where a thing can be dropped, and which move that is. Like a touch, it follows from the legal moves and the things
 * that they mention. Pure.
 */

import type { Touches } from "../boards/contract";
import type { Frame } from "../types";
import { kept, nameOf, type Named } from "./narrow";

/** A drop on the felt, wherever: for a move that uses only things out of the tray. */
export const FELT = "felt";
/** A drop at the player's own seat: for a move that takes one thing from the felt. */
export const OWN = "own";

/** A place for the dragged thing: the name of a thing, `FELT` or `OWN`; and the moves that a drop there can mean. */
export interface Drop {
  onto: string;
  moves: Named[];
}

/** What is dragged: a thing, with others that the player has chosen before. */
export interface Dragged {
  ids: readonly string[];
  /** The names of the things in the tray. */
  tray: readonly string[];
  frame: Frame | undefined;
}

/** Return the places for what is dragged. */
export function dropsOf(moves: readonly Named[], { ids, tray, frame }: Dragged, touches: Touches): Drop[] {
  const names = ids.map(nameOf);
  const drops = new Map<string, Named[]>();
  for (const move of kept(moves, ids)) {
    const others = move.things.filter((thing) => !names.includes(thing) && !tray.includes(thing));
    const own = names.some((name) => tray.includes(name)) ? FELT : OWN;
    const places = others.length ? others : [touches.onto?.(move.move, frame) ?? own];
    for (const place of new Set(places)) drops.set(place, [...(drops.get(place) ?? []), move]);
  }
  return [...drops].map(([onto, meant]) => ({ onto, moves: meant }));
}

/** Return the move of a drop: the only one, or the only one that uses no more things than these; else null. */
export function moveOf({ onto, moves }: Drop, ids: readonly string[]): Named | null {
  const used = ids.length + (moves.some(({ things }) => things.includes(onto)) ? 1 : 0);
  const exact = moves.filter(({ things }) => things.length === used);
  const [only, ...more] = exact.length ? exact : moves;
  return more.length ? null : (only ?? null);
}
