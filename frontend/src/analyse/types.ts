/** What the library says of a moment (scorebook_games.moment) and of luck. Chances and costs are shares of 1. */

/** Whose eyes, and how many events had happened. */
export interface Moment {
  seat: number;
  version: number;
}

/** A move beside the best one, each with one standard error. */
export interface MoveValue {
  move: string;
  chance: number;
  error: number;
  cost: number;
  cost_error: number;
  worlds: number;
}

export interface Analysis extends Moment {
  /** At a decision the move that was made. */
  made: string | null;
  policy: string;
  chance: number | null;
  error: number | null;
  samples: number;
  moves: MoveValue[];
  /** The moves in words. */
  words: Record<string, string>;
  spent: number;
  budget: number;
  over: boolean;
}

/** What an event was worth to each seat. */
export interface LuckEntry {
  version: number;
  sort: string;
  seat: number | null;
  gains: number[];
}
