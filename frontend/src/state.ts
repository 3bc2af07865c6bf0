/** The state of the replay viewer, as one plain object. Views read it; only the controller replaces it. */

import { indexAt } from "./link";
import type { Pace } from "./playing";
import type { Page, Frame, Replay } from "./types";

export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
export type Speed = (typeof SPEEDS)[number];

export interface State {
  replay: Replay;
  /** The index of the current frame. */
  at: number;
  playing: boolean;
  speed: Speed;
  pace: Pace;
  /** In real time, a sentence that a pause was shortened; otherwise "". */
  pause: string;
  help: boolean;
  /** A sentence about the page, such as "link copied" or "connection lost"; otherwise "". */
  notice: string;
  page: Page;
  /** The versions at which the review that is shown has mistakes, in their order. */
  mistakes: readonly number[];
}

/** Start at the linked version, or at the start of a finished game, or at the end of a running one. */
export function initialState(replay: Replay, page: Page, version: number | null): State {
  const end = Math.max(0, replay.frames.length - 1);
  const at = version === null ? (replay.game.status === "playing" ? end : 0) : indexAt(replay.frames, version);
  return { replay, at, playing: false, speed: 1, pace: "even", pause: "", help: false, notice: "", page, mistakes: [] };
}

export function currentFrame(state: State): Frame | undefined {
  return settled(state.replay.frames[state.at], state.replay);
}

/** Return the frame to draw. In the last frame of a game that has ended, nobody is to act. */
export function settled(frame: Frame | undefined, replay: Replay): Frame | undefined {
  if (!frame || replay.game.status === "playing" || frame.version < replay.version) return frame;
  return { ...frame, observation: { ...frame.observation, turn: null, to_act: [] } };
}

export function lastIndex(state: State): number {
  return Math.max(0, state.replay.frames.length - 1);
}

/** Return whether the game is running and the reader is at its last event, and so follows new events. */
export function atHead(state: State): boolean {
  return state.replay.game.status === "playing" && state.at === lastIndex(state);
}
