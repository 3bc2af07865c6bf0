/**
 * Keeps the server's event stream of a game open. If the stream is lost or refused, it is opened again after a pause,
 * from the last event that the page has.
 */

import { createParser } from "eventsource-parser";

/** How a page uses its stream. */
export interface Listener {
  /** Return the address of the stream, with the version that the page has now. */
  address(): string;
  /** Receive an event. */
  heard(type: string, data: string): void;
  /** Called when the connection opens and when it is lost. */
  link?(open: boolean): void;
  /** Called when the server refuses the stream and a retry is useless. */
  refused?(): void;
  /** The longest pause between two attempts, in ms. */
  longest: number;
}

/** After this silence the stream counts as lost. The server sends a keep-alive every 15 s. */
export const SILENCE_MS = 40_000;
const SSE = "text/event-stream";
const FIRST_PAUSE_MS = 500;
/** After a connection of at least this length, the next attempt comes soon. */
const SOUND_MS = 10_000;
/** Client errors after which a retry makes sense: timeout, too early, too many requests. */
const PASSING = [408, 425, 429];

/** Listen until the server refuses permanently. Returns a function that stops it. */
export function listen(listener: Listener): () => void {
  const ended = new AbortController();
  let reading = new AbortController();
  let timer = 0;
  let tries = 0;
  let linked: boolean | null = null;
  let linkedAt = 0;

  /** Call `next` after `ms`, in place of what was scheduled before. */
  function wait(ms: number, next: () => void): void {
    window.clearTimeout(timer);
    timer = window.setTimeout(next, ms);
  }

  function link(open: boolean): void {
    if (open === linked) return;
    listener.link?.(open);
    linked = open;
    linkedAt = Date.now();
  }

  function open(): void {
    reading.abort();
    const now = (reading = new AbortController());
    wait(SILENCE_MS, lost);
    read(now.signal).then(
      (pause) => !now.signal.aborted && (pause === null ? refused() : lost(pause)),
      () => !now.signal.aborted && lost(),
    );
  }

  /** Read a stream to its end. Returns the pause in ms that the server asks for, or null if it refuses permanently. */
  async function read(signal: AbortSignal): Promise<number | null> {
    const answer = await fetch(listener.address(), { cache: "no-store", headers: { Accept: SSE }, signal });
    if (!answer.ok || !answer.body) return refusal(answer);
    let pause = 0;
    const parser = createParser({
      onRetry: (ms) => (pause = ms),
      onEvent({ event = "message", data }) {
        if (signal.aborted) return;
        link(true);
        listener.heard(event, data);
      },
    });
    const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await text.read();
      if (done || signal.aborted) return pause;
      wait(SILENCE_MS, lost);
      parser.feed(value);
    }
  }

  /**
   * Schedule a retry after at least `asked` ms. Pauses double, with a random part so that readers do not retry
   * together.
   */
  function lost(asked = 0): void {
    reading.abort();
    if (linked && Date.now() - linkedAt >= SOUND_MS) tries = 0;
    link(false);
    const own = Math.min(listener.longest, FIRST_PAUSE_MS * 2 ** tries++);
    const part = Math.random() / 4;
    wait(Math.max(asked * (1 + part), own * (1 - part)), open);
  }

  function now(): void {
    tries = 0;
    open();
  }

  function stop(): void {
    ended.abort();
    reading.abort();
    window.clearTimeout(timer);
  }

  function refused(): void {
    stop();
    link(false);
    listener.refused?.();
  }

  const { signal } = ended;
  window.addEventListener("online", now, { signal });
  window.addEventListener("offline", () => lost(), { signal });
  window.addEventListener("pageshow", ({ persisted }) => persisted && now(), { signal }); // the back button
  open();
  return stop;
}

/** Return the pause in ms that a refusal asks for, 0 for none; null if a retry is useless. */
function refusal({ status, headers }: Response): number | null {
  if (status >= 400 && status < 500 && !PASSING.includes(status)) return null;
  return 1000 * Number(headers.get("Retry-After") ?? 0) || 0;
}
