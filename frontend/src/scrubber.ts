/** The drawing behind the scrubber: each player's scores as an SVG path, and the highlights that fit above it. Pure. */

import type { Frame, Mark } from "./types";

export const WIDTH = 1000;
export const HEIGHT = 100;

export interface Scale {
  low: number;
  high: number;
}

/** Return the range of all scores. It includes 0 and is never empty. */
export function scaleOf(scores: readonly (readonly number[])[]): Scale {
  const all = scores.flat();
  const low = Math.min(0, ...all);
  return { low, high: Math.max(low + 1, ...all) };
}

export function xOf(at: number, count: number): number {
  return count > 1 ? Math.round((at / (count - 1)) * WIDTH * 10) / 10 : 0;
}

export function yOf(score: number, scale: Scale): number {
  const share = (score - scale.low) / (scale.high - scale.low);
  return Math.round((HEIGHT - 4 - share * (HEIGHT - 12)) * 10) / 10;
}

/** Return a stepped line: level, then vertical at each frame that changes the score. */
export function pathOf(scores: readonly (readonly number[])[], seat: number, scale: Scale): string {
  let path = "";
  let before: number | undefined;
  scores.forEach((row, at) => {
    const score = row[seat] ?? 0;
    if (before === undefined) path = `M0 ${yOf(score, scale)}`;
    else if (score !== before) path += `H${xOf(at, scores.length)}V${yOf(score, scale)}`;
    before = score;
  });
  return path && `${path}H${WIDTH}`;
}

export interface Sign {
  at: number;
  version: number;
  kind: Mark["kind"];
  words: string;
  /** Its place in percent of the width. */
  left: number;
}

const RANK: Mark["kind"][] = [
  "round",
  "lead",
  "out",
  "capture",
  "chain",
  "got",
  "streak",
  "threat",
  "bomb",
  "race",
  "clear",
  "take",
];

/** Return the highlights that fit. `least` is their smallest distance in percent; the more important kind wins. */
export function signsOf(frames: readonly Frame[], least: number): Sign[] {
  const all = frames.flatMap((frame, at) =>
    frame.marks.map((mark) => ({
      at,
      version: frame.version,
      kind: mark.kind,
      words: mark.words,
      left: xOf(at, frames.length) / 10,
    })),
  );
  const kept: Sign[] = [];
  for (const kind of RANK) {
    for (const sign of all) {
      if (sign.kind === kind && kept.every((other) => Math.abs(other.left - sign.left) >= least)) kept.push(sign);
    }
  }
  return kept.sort((one, other) => one.at - other.at);
}

/** Return the kinds of highlight in a replay, in the order of the legend. */
export function kindsOf(frames: readonly Frame[]): Mark["kind"][] {
  const there = new Set(frames.flatMap((frame) => frame.marks.map((mark) => mark.kind)));
  return RANK.filter((kind) => there.has(kind));
}

/** A part of a game: a round, or where a kind has none a turn of all players. */
export interface Chapter {
  at: number;
  version: number;
  number: number;
  /** It begins with a round of the kind. */
  round: boolean;
  /** Its start and its width in percent. */
  left: number;
  width: number;
}

/** Return where rounds begin; without rounds, where the player who moved first moves again. */
function beginnings(frames: readonly Frame[]): { rounds: boolean; places: number[] } {
  const places = frames.flatMap(({ marks }, at) => (marks.some(({ kind }) => kind === "round") ? [at] : []));
  if (places.length) return { rounds: true, places };
  const first = frames.find(({ seat }) => seat !== null)?.seat;
  let before: number | null | undefined = undefined;
  frames.forEach(({ seat }, at) => {
    if (seat === null) return;
    if (seat === first && seat !== before) places.push(at);
    before = seat;
  });
  return { rounds: false, places };
}

/** Return the chapters that fit: at most `most`. Turns are joined, so that chapters are of 1, 2, 5, 10 … turns. */
export function chaptersOf(frames: readonly Frame[], most: number): Chapter[] {
  const { rounds, places } = beginnings(frames);
  const step = rounds ? 1 : ([1, 2, 5, 10, 20, 50, 100].find((each) => places.length / each <= most) ?? 200);
  if (places.length < 2 || places.length / step > most) return [];
  const kept = places.flatMap((at, number) => (number % step === 0 ? [{ at, number: number + 1 }] : []));
  return kept.map(({ at, number }, each) => {
    const left = xOf(at, frames.length) / 10;
    const end = kept[each + 1] ? xOf(kept[each + 1]?.at ?? 0, frames.length) / 10 : 100;
    return { at, number, round: rounds, version: frames[at]?.version ?? 0, left, width: end - left };
  });
}
