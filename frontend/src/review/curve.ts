/** A review's curve as SVG paths over the scrubber's ground. Pure. */

import { indexAt } from "../link";
import { HEIGHT, xOf } from "../scrubber";
import { _, ngettext } from "../gettext";
import type { CurvePoint, Frame, Mistake } from "../types";

/** Standard errors on each side of the curve. */
const BAND = 2;

interface Placed {
  x: number;
  chance: number;
  error: number;
}

/** Chances where the frames are: of several points at one frame the last. What was not measured divides them into
 * parts. */
export function placed(curve: readonly CurvePoint[], frames: readonly Frame[]): Placed[][] {
  const found = new Map<number, Placed | null>();
  for (const { version, chance, error } of curve) {
    const x = xOf(indexAt(frames, version), frames.length);
    found.set(x, chance === null || error === null ? null : { x, chance, error: BAND * error });
  }
  const parts: Placed[][] = [[]];
  for (const point of found.values()) {
    if (point) parts.at(-1)?.push(point);
    else parts.push([]);
  }
  return parts.filter((part) => part.length);
}

const yOf = (chance: number): number => Math.round(10 * HEIGHT * (1 - Math.max(0, Math.min(1, chance)))) / 10;
const path = (points: [x: number, y: number][]): string => points.map(([x, y]) => `${x} ${y}`).join("L");

export function linePath(points: readonly Placed[]): string {
  return points.length ? `M${path(points.map(({ x, chance }) => [x, yOf(chance)]))}` : "";
}

/** The band of two standard errors on each side. */
export function bandPath(points: readonly Placed[]): string {
  if (!points.length) return "";
  const upper = points.map(({ x, chance, error }): [number, number] => [x, yOf(chance + error)]);
  const lower = points.map(({ x, chance, error }): [number, number] => [x, yOf(chance - error)]);
  return `M${path([...upper, ...lower.reverse()])}Z`;
}

/** The chance at a version: the last point at or before it; before the first point, the first. */
function pointAt(curve: readonly CurvePoint[], version: number): CurvePoint | null {
  return curve.filter((point) => point.version <= version).at(-1) ?? curve[0] ?? null;
}

/** The chance of a player at a version, with two standard errors; empty where there is none. */
export function chanceText(curve: readonly CurvePoint[], version: number, name: string): string {
  const point = pointAt(curve, version);
  if (!point) return "";
  if (point.chance === null || point.error === null) return _("The chance of {name} was not measured here.", { name });
  const values = { name, percent: percent(point.chance), error: percent(BAND * point.error) };
  return _("Chance of {name}: {percent} % ± {error}.", values);
}

export interface Sign {
  at: number;
  left: number;
  mistake: Mistake;
}

/** The signs of mistakes that have room, the costliest first where two would touch. */
export function mistakeSigns(mistakes: readonly Mistake[], frames: readonly Frame[], least: number): Sign[] {
  const kept: Sign[] = [];
  for (const mistake of [...mistakes].sort((one, other) => other.cost - one.cost)) {
    const at = indexAt(frames, mistake.version);
    const left = xOf(at, frames.length) / 10;
    if (kept.every((other) => Math.abs(other.left - left) >= least)) kept.push({ at, left, mistake });
  }
  return kept.sort((one, other) => one.at - other.at);
}

export const percent = (share: number): number => Math.round(100 * share);

/** A difference of shares in words. */
export function points(share: number): string {
  return ngettext("{count} percentage point", "{count} percentage points", percent(share));
}
