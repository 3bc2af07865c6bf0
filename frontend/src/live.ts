/** Follows a running game: the server's stream announces events, and the controller fetches them. */

import { listen } from "./stream";
import type { Replay } from "./types";

/** The part of the controller that `follow` uses. */
export interface Followed {
  state: { replay: Pick<Replay, "eyes" | "version"> };
  extend(): Promise<unknown>;
  reload(): Promise<unknown>;
}

const TOGETHER_MS = 120;
const LONGEST_PAUSE_MS = 60_000;

/** Follow the game until it ends. Returns a function that stops it. */
export function follow(controller: Followed, events: string): () => void {
  const { eyes } = controller.state.replay;
  let fetching = 0;
  const stop = listen({
    address: () => `${events}?eyes=${eyes}&since=${controller.state.replay.version}`,
    longest: LONGEST_PAUSE_MS,
    heard(type) {
      if (type !== "event" && type !== "over") return;
      window.clearTimeout(fetching);
      if (type === "event") {
        fetching = window.setTimeout(() => void controller.extend().catch(() => undefined), TOGETHER_MS);
      } else {
        stop();
        void controller.reload().catch(() => undefined);
      }
    },
  });
  return stop;
}
