/** Addresses of a moment: `?eyes=<viewer>#<version>`. */

import type { Frame } from "./types";

/** The version that a hash names, or null. */
export function versionIn(hash: string): number | null {
  const match = /^#(\d{1,9})$/.exec(hash);
  return match ? Number(match[1]) : null;
}

/** The index of the frame at `version`, else of the last one before it; the first frame when there is none before. */
export function indexAt(frames: readonly Frame[], version: number): number {
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((frames[middle] as Frame).version <= version) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The address of a moment, relative to the page it is on. */
export function linkTo(href: string, eyes: string, version: number): string {
  const url = new URL(href);
  url.searchParams.set("eyes", eyes);
  url.hash = String(version);
  return url.toString();
}
