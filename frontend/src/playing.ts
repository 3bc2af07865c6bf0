/** How long each frame is shown during playback. Pure. */

import { _ } from "./gettext";
import type { Controller } from "./controller.svelte";
import type { Frame } from "./types";
import { span } from "./words";

/** `even`: all steps take equally long; `moments`: highlights take longer; `real`: as fast as it was played. */
export const PACES = ["even", "moments", "real"] as const;
export type Pace = (typeof PACES)[number];

export const STEP_MS = 1200;
/** A step with a highlight takes this many times as long. */
const LINGER = 2.5;
/** In real time, no step takes longer or shorter than these limits, at any speed. */
export const LONGEST_MS = 4000;
const SHORTEST_MS = 40;

export interface Wait {
  ms: number;
  /** A sentence that says that a pause was shortened, or "". */
  note: string;
}

/** Return how long to wait before the next frame. */
export function waitAt({ replay, at, speed, pace }: Pick<Controller, "replay" | "at" | "speed" | "pace">): Wait {
  const here = replay.frames[at];
  const next = replay.frames[at + 1];
  if (pace === "real" && here && next) return realWait(here, next, speed);
  const linger = pace === "moments" && (here?.marks.length ?? 0) > 0 ? LINGER : 1;
  return { ms: (STEP_MS * linger) / speed, note: "" };
}

function realWait(here: Frame, next: Frame, speed: number): Wait {
  const real = Math.max(0, next.ms - here.ms);
  const ms = Math.max(SHORTEST_MS, real / speed);
  if (ms <= LONGEST_MS) return { ms, note: "" };
  return { ms: LONGEST_MS, note: _("A pause of {time} was shortened.", { time: span(real) }) };
}
