/** The path of a sequential test as a drawing. Pure. */

export interface Evidence {
  better: number;
  worse: number;
}

/** The evidence that decides (scorebook_games.analysis.betting.LIMIT). */
export const LIMIT = 20;
export const WIDTH = 300;
export const HEIGHT = 90;
/** The evidence at the bottom; the top is a little above the limit. */
const LEAST = 0.05;
const MOST = 40;

/** Return the height of an evidence, on a scale of its logarithm. */
export function heightOf(evidence: number): number {
  const share = Math.log(Math.min(MOST, Math.max(LEAST, evidence)) / LEAST) / Math.log(MOST / LEAST);
  return Math.round((1 - share) * HEIGHT * 10) / 10;
}

/** Return the points of a line for one claim: all deals over the whole width, from an evidence of 1. */
export function lineOf(path: readonly Evidence[], claim: keyof Evidence): string {
  const values = [1, ...path.map((each) => each[claim])];
  const step = WIDTH / Math.max(1, values.length - 1);
  return values.map((value, place) => `${Math.round(place * step * 10) / 10},${heightOf(value)}`).join(" ");
}
