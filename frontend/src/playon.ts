/** Continues a finished game from one of its moments, and goes to the new game. */

import { _ } from "./gettext";
import { cookie } from "./table/cookie";
import type { GoOn } from "./types";

export interface Wish {
  version: number;
  seat: number;
  program: string;
}

/** Returns what went wrong; empty where the new game is being opened. */
export async function playOn(go: GoOn, wish: Wish): Promise<string> {
  try {
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json",
      "X-CSRFToken": cookie("csrftoken"),
    };
    const answer = await fetch(go.post, { method: "POST", headers, body: JSON.stringify(wish) });
    const body = (await answer.json()) as { url?: string; error?: { sentence: string } };
    if (!body.url) return body.error?.sentence ?? _("The server refused the request. Reload the page.");
    window.location.assign(body.url);
    return "";
  } catch {
    return _("The server could not be reached. Check your connection and try again.");
  }
}
