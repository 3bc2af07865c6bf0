/** A game that is still on: the server's stream says that something happened, and the replay fetches what is new. */

import { listen } from "./stream";
import type { Replay } from "./types";

/** What of the replay's controller is needed here. */
export interface Followed {
  state: { replay: Pick<Replay, "eyes" | "version"> };
  extend(): Promise<unknown>;
  reload(): Promise<unknown>;
}

const TOGETHER_MS = 120;
const LONGEST_PAUSE_MS = 60_000;

/** Follow the game until it is over. Returns how to stop. */
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
