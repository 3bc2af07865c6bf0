/** Contexts for the components of a board: what can be touched, and the viewer's seat. */

import { getContext, setContext } from "svelte";
import type { Scene, Touching } from "../contract";

const TOUCHING = "touching";
const SEAT = "seat";
const CLOCK = "clock";

/** Return the contexts of a board's components. */
export function contextOf({ touching, seat, clock }: Scene): Map<string, unknown> {
  return new Map<string, unknown>([
    [TOUCHING, touching],
    [SEAT, seat],
    [CLOCK, clock],
  ]);
}

export function giveTouching(touching: Touching): void {
  setContext(TOUCHING, touching);
}

/** Return what can be touched; undefined in the replay viewer. */
export function touchingHere(): Touching | undefined {
  return getContext<Touching | undefined>(TOUCHING);
}

/** Return what draws the clocks of seats; undefined unless a game is running. */
export function clockHere(): Scene["clock"] {
  return getContext<Scene["clock"]>(CLOCK);
}

/** Return the viewer's seat; null for a viewer who did not play. */
export function ownSeat(): number | null {
  return getContext<number | null | undefined>(SEAT) ?? null;
}
