/** A game that is still on: the server's stream says that something happened, and the replay fetches what is new. */

import type { Replay } from "./types";

/** What of the replay's controller is needed here. */
export interface Followed {
  state: { replay: Pick<Replay, "eyes" | "version"> };
  extend(): Promise<unknown>;
  reload(): Promise<unknown>;
}

const TOGETHER_MS = 120;
const FIRST_PAUSE_MS = 1000;
const LONGEST_MS = 60_000;

/** Follow the game until it is over. Returns how to stop. The browser resumes a lost stream by itself, but gives one up
 *  that was refused; where that was for a while only, we open it again. */
export function follow(controller: Followed, events: string): () => void {
  const { eyes } = controller.state.replay;
  let source: EventSource | null = null;
  let fetching = 0;
  let coming = 0;
  let tries = 0;

  const fetchSoon = (): void => {
    window.clearTimeout(fetching);
    fetching = window.setTimeout(() => void controller.extend().catch(() => undefined), TOGETHER_MS);
  };

  function stop(): void {
    source?.close();
    source = null;
    window.clearTimeout(coming);
  }

  function open(): void {
    const address = `${events}?eyes=${eyes}&since=${controller.state.replay.version}`;
    const opened = (source = new EventSource(address));
    opened.addEventListener("game", () => (tries = 0));
    opened.addEventListener("event", fetchSoon);
    opened.addEventListener("over", () => {
      stop();
      window.clearTimeout(fetching);
      void controller.reload().catch(() => undefined);
    });
    opened.addEventListener("error", () => {
      if (opened.readyState === EventSource.CLOSED) void refused(opened, address);
    });
  }

  async function refused(closed: EventSource, address: string): Promise<void> {
    const pause = await pauseAfter(address, tries++);
    if (pause !== null && source === closed) coming = window.setTimeout(open, pause);
  }

  open();
  return stop;
}

/** The ms until a stream that was refused is to be opened again; null where that is no use. A stream's `error` says
 *  neither status nor Retry-After, so the same thing is asked by other means. Not all come back at the same moment. */
async function pauseAfter(address: string, tries: number): Promise<number | null> {
  const asking = new AbortController();
  const headers = { Accept: "text/event-stream" };
  const answer = await fetch(address, { headers, signal: asking.signal }).catch(() => null);
  asking.abort(); // there may be room again: then this is a stream, which nobody reads
  if (answer && answer.status >= 400 && answer.status < 500 && answer.status !== 429) return null;
  const told = 1000 * Number(answer?.headers.get("Retry-After") ?? 0) || 0;
  const own = Math.min(LONGEST_MS, FIRST_PAUSE_MS * 2 ** tries);
  return Math.max(told, own) * (1 + Math.random() / 4);
}
