/** A game that is still on: the server's stream says that something happened, and the replay fetches what is new. */

import type { Controller } from "./controller";

const TOGETHER_MS = 120;

/** Follow the game until it is over. Returns how to stop. The browser resumes a lost stream by itself. */
export function follow(controller: Controller, events: string): () => void {
  const { eyes, version } = controller.state.replay;
  const source = new EventSource(`${events}?eyes=${eyes}&since=${version}`);
  let waiting = 0;
  const fetchSoon = (): void => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => void controller.extend().catch(() => undefined), TOGETHER_MS);
  };
  source.addEventListener("event", fetchSoon);
  source.addEventListener("over", () => {
    source.close();
    window.clearTimeout(waiting);
    void controller.reload().catch(() => undefined);
  });
  return () => source.close();
}
