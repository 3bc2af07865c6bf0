/** What controllers say about motion: when the board changes, and how long it may take to show how. */

/** How to show what moves. */
export interface Play {
  /** How long it may take. */
  ms: number;
  /** The seat whose event it is. */
  seat: number | null;
}

/** A controller that says when its board changes. */
export interface Changing {
  /** Called before the board changes; with null if nothing is to move. */
  changing: (play: Play | null) => void;
  /** Called to complete at once what moves. */
  settle: () => void;
}

/** Return whether the person wants no motion. */
export const wantsStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The time of an event that is not part of a chain. */
export const SINGLE_MS = 280;
/** The times of an event in a chain: the more events wait, the shorter. */
const [SHORTEST_MS, CHAIN_MS] = [110, 1400];

/** Return how long an event may take if `waiting` events are to be shown. */
export function stepMs(waiting: number): number {
  return Math.max(SHORTEST_MS, Math.min(SINGLE_MS, CHAIN_MS / Math.max(1, waiting)));
}
