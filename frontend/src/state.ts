/** All that the island knows, as one plain object. Views read it; the controller alone makes a new one. */

import { indexAt } from "./link";
import type { Pace } from "./playing";
import type { Page, Frame, Replay } from "./types";

export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
export type Speed = (typeof SPEEDS)[number];

export interface State {
  replay: Replay;
  /** The index of the frame that is shown. */
  at: number;
  playing: boolean;
  speed: Speed;
  pace: Pace;
  /** In real time: that a pause is being cut short. */
  pause: string;
  help: boolean;
  /** One sentence about something other than the game: a copied link, a lost connection. */
  notice: string;
  page: Page;
}

/** Where a page begins: at the linked version, else at the start of a finished game and at the end of a live one. */
export function initialState(replay: Replay, page: Page, version: number | null): State {
  const end = Math.max(0, replay.frames.length - 1);
  const at = version === null ? (replay.game.status === "playing" ? end : 0) : indexAt(replay.frames, version);
  return { replay, at, playing: false, speed: 1, pace: "even", pause: "", help: false, notice: "", page };
}

export function currentFrame(state: State): Frame | undefined {
  return settled(state.replay.frames[state.at], state.replay);
}

/** The frame as it is shown: at the end of a game nobody is to act, though a player who left was. */
export function settled(frame: Frame | undefined, replay: Replay): Frame | undefined {
  if (!frame || replay.game.status === "playing" || frame.version < replay.version) return frame;
  return { ...frame, observation: { ...frame.observation, turn: null, to_act: [] } };
}

export function lastIndex(state: State): number {
  return Math.max(0, state.replay.frames.length - 1);
}

/** Whether the game is still on, and who looks stands at its last event, where the next will take them along. */
export function atHead(state: State): boolean {
  return state.replay.game.status === "playing" && state.at === lastIndex(state);
}
