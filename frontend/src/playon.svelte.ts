/** Continues a finished game from one of its moments, and goes to the new game. */

import { _ } from "./gettext";
import { cookie } from "./table/cookie";
import type { GoOn } from "./types";

interface Wish {
  version: number;
  seat: number;
  program: string;
}

/** The start of a game from a moment of another, on a page with a button for it. */
export class PlayOn {
  /** A game is being opened: a second click would open a second one. */
  busy: boolean = $state(false);
  /** What went wrong. */
  said: string = $state("");

  /** Open the game and go to it. */
  async start(go: GoOn, wish: Wish): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.said = "";
    this.said = await open(go, wish);
    this.busy = !this.said; // the page is being left
  }

  /** The person has come back with the browser's button. */
  readonly back = (): void => {
    this.busy = false;
  };
}

/** Returns what went wrong; empty where the new game is being opened. */
async function open(go: GoOn, wish: Wish): Promise<string> {
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
