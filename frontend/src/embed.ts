/** The HTML with which other sites show a moment. */

import { linkTo } from "./link";
import type { Replay } from "./types";

/** Return the HTML that shows a moment on another site. A running game is shown from the public viewpoint. */
export function embedCode(href: string, replay: Replay, version: number): string {
  const { game } = replay;
  const viewpoint = game.status === "playing" ? "public" : replay.viewpoint;
  const title = `${game.title}: ${game.seats.map((seat) => seat.name).join(", ")}`.replace(
    /[&<>"]/g,
    (letter) => `&#${letter.charCodeAt(0)};`,
  );
  const address = linkTo(href, viewpoint, version).replace(/&/g, "&amp;");
  return `<iframe src="${address}" title="${title}" width="640" height="720" loading="lazy"></iframe>`;
}
