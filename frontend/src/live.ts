/** Follows a running game: the server's stream brings its frames, and the controller shows them. */

import { _ } from "./gettext";
import { applyEnd, applyNews, type End, newsIn } from "./news";
import { listen } from "./stream";
import type { Replay } from "./types";

/** The part of the controller that `follow` uses. */
export interface Followed {
  replay: Replay;
  extend(replay: Replay): void;
  reload(): Promise<unknown>;
  tell(notice: string): void;
}

const LONGEST_PAUSE_MS = 60_000;
/** How often commentators ask for what is new. They see it late, so a stream would win nothing. */
const POLL_MS = 3000;

function refused(controller: Followed): void {
  controller.tell(_("The game can no longer be followed here. Reload the page."));
}

/** Follow the game until it ends. Returns a function that stops it. */
export function follow(controller: Followed, events: string): () => void {
  const { viewpoint } = controller.replay;
  const stop = listen({
    address: () => `${events}?viewpoint=${viewpoint}&frames=1&since=${controller.replay.version}`,
    longest: LONGEST_PAUSE_MS,
    refused: () => refused(controller),
    heard(type, data) {
      const news = type === "frames" ? newsIn(JSON.parse(data) as object) : null;
      if (news) controller.extend(applyNews(controller.replay, news));
      if (type !== "over") return;
      stop();
      controller.extend(applyEnd(controller.replay, JSON.parse(data) as End));
      controller.reload().catch(() => controller.tell(_("The game is over. Reload the page.")));
    },
  });
  return stop;
}

/** Follow the game by asking at `address` again and again, until it ends or is refused. */
export function poll(controller: Followed, address: string): () => void {
  const timer = window.setInterval(() => void ask().catch(() => undefined), POLL_MS);
  const stop = (): void => window.clearInterval(timer);

  async function ask(): Promise<void> {
    const since = controller.replay.version;
    const answer = await fetch(`${address}?since=${since}`, { headers: { Accept: "application/json" } });
    if (answer.status === 403 || answer.status === 404) {
      stop();
      refused(controller);
    }
    if (!answer.ok) return; // the server is busy or away: ask again
    const found = (await answer.json()) as Replay;
    controller.extend(applyNews(controller.replay, { ...found, since }));
    if (found.game.status === "playing") return;
    stop();
    await controller.reload();
  }
  return stop;
}
