/** How the boards know that they stand on a table: a context, which the viewer does not give. */

import { getContext, setContext, type Snippet } from "svelte";

export interface Look {
  offered: boolean;
  chosen: boolean;
  /** A choice of which this is no part lies low. */
  low: boolean;
}

export interface Touching {
  /** How the thing is drawn now. */
  look(id: string): Look;
  touch(id: string): void;
  /** The clock of a seat, to be drawn beside its name. */
  clock: Snippet<[number]>;
}

const KEY = "touching";

export function giveTouching(touching: Touching): void {
  setContext(KEY, touching);
}

/** Undefined in the viewer. */
export function touchingHere(): Touching | undefined {
  return getContext<Touching | undefined>(KEY);
}
