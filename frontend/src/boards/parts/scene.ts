/** What the components of a board know of where they stand: contexts. */

import { getContext, setContext } from "svelte";
import type { Scene, Touching } from "../contract";

const TOUCHING = "touching";
const SEAT = "seat";

/** The contexts of a board's components. */
export function contextOf({ touching, seat }: Scene): Map<string, unknown> {
  return new Map<string, unknown>([
    [TOUCHING, touching],
    [SEAT, seat],
  ]);
}

export function giveTouching(touching: Touching): void {
  setContext(TOUCHING, touching);
}

/** Undefined in the viewer. */
export function touchingHere(): Touching | undefined {
  return getContext<Touching | undefined>(TOUCHING);
}

/** The seat of whoever looks; null for somebody who did not play. */
export function ownSeat(): number | null {
  return getContext<number | null | undefined>(SEAT) ?? null;
}
