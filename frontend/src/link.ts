/** Addresses of a moment: `?eyes=<viewer>#<version>`. */

import type { Frame, Replay } from "./types";

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

/** The code that shows a moment within another page. Through eyes that are open to the public only. */
export function embedCode(href: string, replay: Replay, version: number): string {
  const { game } = replay;
  const eyes = game.status === "playing" ? "public" : replay.eyes;
  const title = `${game.title}: ${game.seats.map((seat) => seat.name).join(", ")}`.replace(
    /[&<>"]/g,
    (letter) => `&#${letter.charCodeAt(0)};`,
  );
  const address = linkTo(href, eyes, version).replace(/&/g, "&amp;");
  return `<iframe src="${address}" title="${title}" width="640" height="720" loading="lazy"></iframe>`;
}
