/** Where whoever looks sat in this game: a context that the viewer gives, so that the board is seen from there. */

import { getContext, setContext } from "svelte";

const KEY = "own seat";

export function giveOwnSeat(seat: number | null): void {
  setContext(KEY, seat);
}

/** Null for who did not play. */
export function ownSeat(): number | null {
  return getContext<number | null | undefined>(KEY) ?? null;
}
