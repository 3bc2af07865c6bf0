/**
 * The server's stream of a game, kept open: a stream that is lost or refused is opened again after a pause, from the
 * last event that the page has.
 */

import { createParser } from "eventsource-parser";

/** What a page does with its stream. */
export interface Listener {
  /** Where the stream is opened. The address says which version the page has by then. */
  address(): string;
  /** Takes an event by its type. */
  heard(type: string, data: string): void;
  /** Told when the stream is open, and when it is lost. */
  link?(open: boolean): void;
  /** Told when the server refuses the stream, now and later. */
  refused?(): void;
  /** The longest pause between two tries, in ms. */
  longest: number;
}

/** A stream of which nothing is heard for so long is lost: the server sends a sign of life every 15 s. */
export const SILENCE_MS = 40_000;
const SSE = "text/event-stream";
const FIRST_PAUSE_MS = 500;
/** A stream that was open for so long was a sound one: the next try after it comes soon. */
const SOUND_MS = 10_000;
/** Client errors that pass: too slow, too early, too many. */
const PASSING = [408, 425, 429];

/** Listen until the server refuses for good. Returns how to stop. */
export function listen(listener: Listener): () => void {
  const ended = new AbortController();
  let reading = new AbortController();
  let timer = 0;
  let tries = 0;
  let linked: boolean | null = null;
  let linkedAt = 0;

  /** End what is being read, and call `next` after `ms` unless something happens before. */
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

  /** Read a stream to its end. Gives the ms that the server asks to wait; null where it refuses for good. */
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

  /** Try again after `asked` ms, later each time, and not at the same moment as everybody else. */
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
  window.addEventListener("pageshow", ({ persisted }) => persisted && now(), { signal }); // by the back button
  open();
  return stop;
}

/** The ms that a refusal asks to wait, 0 for none; null where trying again is no use. */
function refusal({ status, headers }: Response): number | null {
  if (status >= 400 && status < 500 && !PASSING.includes(status)) return null;
  return 1000 * Number(headers.get("Retry-After") ?? 0) || 0;
}
