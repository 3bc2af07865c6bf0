/** Which sound belongs to what moved. It follows from the motion alone, so a board does not have to name any. Pure. */

import { type Flow, placeOf } from "../motion/flows";

export const CUES = ["deal", "play", "capture", "flip", "dice", "break", "turn", "low", "win", "loss"] as const;
export type Cue = (typeof CUES)[number];

/** As many things that move together are dealt. */
const DEALT = 6;

const isPlayers = (place: string | null): boolean => /^\d/.test(place ?? "");

/** Return the sound of what moved, the most telling one; null for silence. */
export function cueOf(flows: readonly Flow[]): Cue | null {
  const hows = new Set(flows.map(({ how }) => how));
  if (hows.has("breaks")) return "break";
  if (hows.has("tumbles")) return "dice";
  const moved = flows.filter(({ how }) => how === "moves");
  if (moved.length >= DEALT) return "deal";
  if (moved.length > 1 && moved.some(({ from, to }) => !isPlayers(placeOf(from)) && isPlayers(placeOf(to))))
    return "capture";
  if (moved.length) return "play";
  return hows.has("turns") ? "flip" : null;
}
