/** Follows a running game: the server's stream brings its frames, and the controller shows them. */

import { _ } from "./gettext";
import { type News, newsIn } from "./news";
import { listen } from "./stream";
import type { Replay } from "./types";

/** The part of the controller that `follow` uses. */
export interface Followed {
  state: { replay: Pick<Replay, "viewpoint" | "version"> };
  extend(news: News): void;
  reload(): Promise<unknown>;
  tell(notice: string): void;
}

const LONGEST_PAUSE_MS = 60_000;

/** Follow the game until it ends. Returns a function that stops it. */
export function follow(controller: Followed, events: string): () => void {
  const { viewpoint } = controller.state.replay;
  const stop = listen({
    address: () => `${events}?viewpoint=${viewpoint}&frames=1&since=${controller.state.replay.version}`,
    longest: LONGEST_PAUSE_MS,
    refused: () => controller.tell(_("The game can no longer be followed here. Reload the page.")),
    heard(type, data) {
      const news = type === "frames" ? newsIn(JSON.parse(data) as object) : null;
      if (news) controller.extend(news);
      if (type !== "over") return;
      stop();
      void controller.reload().catch(() => undefined);
    },
  });
  return stop;
}
