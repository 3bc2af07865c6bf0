/** How long a frame stays while the replay plays by itself. Pure. */

import { _ } from "./gettext";
import { lastIndex, type State } from "./state";
import type { Frame } from "./types";
import { span } from "./words";

/** `even`: every step as long as the last; `moments`: longer at what has a sign; `real`: as it was played. */
export const PACES = ["even", "moments", "real"] as const;
export type Pace = (typeof PACES)[number];

export const PACE_WORDS: Record<Pace, string> = {
  even: _("Even pace"),
  moments: _("Slow at highlights"),
  real: _("Real time"),
};

export const STEP_MS = 1200;
/** At a moment with a sign a step takes so many times as long. */
const LINGER = 2.5;
/** In real time nothing takes longer than this, whatever the speed, and nothing is too short to be drawn. */
export const LONGEST_MS = 4000;
const SHORTEST_MS = 40;

export interface Wait {
  ms: number;
  /** A sentence about a pause that was shortened; empty for none. */
  note: string;
}

/** How long to stay where `state` is before the next frame. */
export function waitAt(state: State): Wait {
  const { replay, at, speed, pace } = state;
  const here = replay.frames[at];
  const next = replay.frames[at + 1];
  if (pace === "real" && here && next && at < lastIndex(state)) return realWait(here, next, speed);
  const linger = pace === "moments" && (here?.marks.length ?? 0) > 0 ? LINGER : 1;
  return { ms: (STEP_MS * linger) / speed, note: "" };
}

function realWait(here: Frame, next: Frame, speed: number): Wait {
  const real = Math.max(0, next.ms - here.ms);
  const ms = Math.max(SHORTEST_MS, real / speed);
  if (ms <= LONGEST_MS) return { ms, note: "" };
  return { ms: LONGEST_MS, note: _("A pause of {time} was shortened.", { time: span(real) }) };
}
