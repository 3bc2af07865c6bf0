/** What the page, the worker and the library say to each other (scorebook_games.lab.bridge). */

import type { Replay } from "../types";

/** An opponent: a built-in bot's name, or a file. */
export type Opponent = string | { name: string; source: string };

/** Why a bot failed. */
export interface FaultWords {
  kind: string;
  reason: string;
  output: string;
  evidence?: Record<string, unknown>;
}

/** A fault in a game, with what was played instead: "forfeit", "nothing" or moves; "" if nothing has been yet. */
export interface Fault extends FaultWords {
  seat: number;
  version: number;
  cost: string;
}

/** What a bot printed while it was asked at a version. */
export interface Note {
  seat: number;
  version: number;
  text: string;
}

/** An event with its time in ms. */
export type TimedEvent = [number, unknown[]];

/** What is known of a game when its worker is ended, and what it then goes on from. */
export interface Progress {
  events: TimedEvent[];
  faults: Fault[];
  notes: Note[];
}

export interface PlayRequest {
  kind: string;
  source: string;
  against: Opponent[];
  seat: number;
  deal: number;
  options: Record<string, unknown>;
  /** Of the server: what it will refuse is said. */
  python_minor: number;
  resume?: Progress;
}

/** A line that the server's Python will refuse, and why. */
export interface Newer {
  line: number;
  reason: string;
}

export interface Played {
  export: Record<string, unknown>;
  replay: Replay;
  notes: Note[];
  faults: Fault[];
  newer: Newer | null;
  times: { asks: number; most_ms: number };
}

/** A series plays each deal from every seat, whatever `seat` says. */
export interface SeriesRequest extends Omit<PlayRequest, "resume"> {
  games: number;
  luck_ledgers: boolean;
}

/** How a series stands. */
export interface Standing {
  games: number;
  deals: number;
  share: number;
  low: number;
  high: number;
  wins: number;
  evidence: { better: number; worse: number };
  verdict: "accepted" | "rejected" | "undecided" | null;
  faults: (Fault & { deal: number })[];
  forfeits: number;
  over: boolean;
}

/** What the bot says at a decision of a recorded game. `says` is null after a fault. */
export interface Decision {
  version: number;
  /** The last event of what was played. */
  until: number;
  played: string[] | null;
  legal: string[];
  says: string[] | null;
  fault: FaultWords | null;
}

export interface Decided {
  /** At how many decisions the bot was asked. */
  asked: number;
  last: Decision | null;
  differing: Decision[];
  notes: Note[];
}

/** A word that can be completed; `after` is what stands before it. */
export interface Word {
  after: string;
  word: string;
  detail: string;
  info: string;
}

/** Why a request cannot be carried out. */
export interface Refusal {
  refused: FaultWords & { bot?: string };
}
