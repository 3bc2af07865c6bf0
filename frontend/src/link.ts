/** Addresses of a moment: `?viewpoint=<viewpoint>#<version>`. */

import type { Frame } from "./types";

/** Return the version in a hash such as `#12`, or null. */
export function versionIn(hash: string): number | null {
  const match = /^#(\d{1,9})$/.exec(hash);
  return match ? Number(match[1]) : null;
}

/** Return the version that an address links to: in its hash, or in `at`, which servers of other programs see. */
export function linkedVersion(href: string): number | null {
  const url = new URL(href);
  return versionIn(url.hash) ?? versionIn(`#${url.searchParams.get("at") ?? ""}`);
}

/** Return the index of the frame at `version`, or of the last frame before it. 0 if all frames are later. */
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

/** Return the address of a moment on the page at `href`. */
export function linkTo(href: string, viewpoint: string, version: number): string {
  const url = new URL(href);
  url.searchParams.set("viewpoint", viewpoint);
  url.searchParams.delete("at");
  url.hash = String(version);
  return url.toString();
}

/** Return the address of a moment for other people: programs that show links draw the table at `at`. */
export function sharedLink(href: string, viewpoint: string, version: number): string {
  const url = new URL(linkTo(href, viewpoint, version));
  url.searchParams.set("at", String(version));
  return url.toString();
}
