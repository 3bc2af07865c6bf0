/** What the viewer and the table know of the frame that they draw. Pure. */

import type { Frame, Replay } from "./types";

export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
export type Speed = (typeof SPEEDS)[number];

/** Return the frame to draw. In the last frame of a game that has ended, nobody is to act. */
export function settled(frame: Frame | undefined, replay: Replay): Frame | undefined {
  if (!frame || replay.game.status === "playing" || frame.version < replay.version) return frame;
  return { ...frame, observation: { ...frame.observation, turn: null, to_act: [] } };
}
