import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { follow } from "../src/live";

/** The browser's EventSource, as far as one can see it from outside. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static all: Source[] = [];
  readyState = 1;

  constructor(readonly address: string) {
    super();
    Source.all.push(this);
  }

  close(): void {
    this.readyState = Source.CLOSED;
  }

  tell(type: string): void {
    this.dispatchEvent(new Event(type));
  }

  /** The server answered with another status than 200: the browser gives the stream up. */
  refuse(): void {
    this.close();
    this.tell("error");
  }
}

const last = (): Source => Source.all.at(-1) as Source;
const controller = {
  state: { replay: { eyes: "public", version: 3 } },
  extend: vi.fn(() => Promise.resolve()),
  reload: vi.fn(() => Promise.resolve()),
};
const asked = vi.fn<typeof fetch>();
const watch = (): (() => void) => follow(controller, "/events/");
const answers = (status: number, headers: Record<string, string> = {}): void => {
  asked.mockImplementation(() => Promise.resolve(new Response(null, { status, headers })));
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("fetch", asked);
  vi.spyOn(Math, "random").mockReturnValue(0);
  Source.all = [];
  controller.state.replay.version = 3;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.clearAllMocks();
});

describe("a game that is watched", () => {
  it("is followed from what the page has, and what comes together is fetched once", async () => {
    watch();
    expect(last().address).toBe("/events/?eyes=public&since=3");
    last().tell("event");
    last().tell("event");
    await vi.advanceTimersByTimeAsync(500);
    expect(controller.extend).toHaveBeenCalledTimes(1);
  });

  it("is fetched whole when it is over, and its stream is closed", () => {
    watch();
    last().tell("over");
    expect(controller.reload).toHaveBeenCalledTimes(1);
    expect(last().readyState).toBe(Source.CLOSED);
  });

  it("is left to the browser when the connection breaks", async () => {
    watch();
    last().tell("error");
    await vi.advanceTimersByTimeAsync(600_000);
    expect([asked.mock.calls.length, Source.all.length]).toEqual([0, 1]);
  });
});

describe("a stream that is refused", () => {
  it("for want of room is opened again when the server said, and goes on from what the page has by then", async () => {
    answers(429, { "Retry-After": "30" });
    watch();
    last().refuse();
    controller.state.replay.version = 7;
    await vi.advanceTimersByTimeAsync(29_000);
    expect(Source.all.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(Source.all.map((each) => each.address)).toEqual([
      "/events/?eyes=public&since=3",
      "/events/?eyes=public&since=7",
    ]);
    last().tell("event");
    await vi.advanceTimersByTimeAsync(500);
    expect(controller.extend).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["while the database is away", () => answers(503, { "Retry-After": "5" }), 5000],
    ["by a proxy that does not say for how long", () => answers(502), 1000],
    ["where nobody answers at all", () => asked.mockRejectedValue(new TypeError("no connection")), 1000],
    ["though there is room by now", () => answers(200), 1000],
    ["until a day", () => answers(503, { "Retry-After": "Sun, 22 Nov 2026 08:00:00 GMT" }), 1000],
  ])("%s is opened again", async (_why, server, after) => {
    server();
    watch();
    last().refuse();
    await vi.advanceTimersByTimeAsync(after - 1);
    expect(Source.all.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(Source.all.length).toBe(2);
  });

  it("is asked for ever more seldom, at last once a minute, and soon again once it was open", async () => {
    answers(503);
    watch();
    const pauses: number[] = [];
    for (let tries = 0; tries < 8; tries++) {
      const count = Source.all.length;
      const began = Date.now();
      last().refuse();
      while (Source.all.length === count) await vi.advanceTimersByTimeAsync(500);
      pauses.push((Date.now() - began) / 1000);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    last().tell("game");
    last().refuse();
    await vi.advanceTimersByTimeAsync(1000);
    expect(Source.all.length).toBe(10);
  });

  it.each([401, 403, 404])("with %i, for good, is let be", async (status) => {
    answers(status);
    watch();
    last().refuse();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(Source.all.length).toBe(1);
  });

  it("is not opened again by who has gone on to other eyes meanwhile", async () => {
    answers(429, { "Retry-After": "30" });
    const stop = watch();
    last().refuse();
    await vi.advanceTimersByTimeAsync(10_000);
    stop();
    await vi.advanceTimersByTimeAsync(600_000);
    const another = watch();
    last().refuse();
    another(); // before the answer is there
    await vi.advanceTimersByTimeAsync(600_000);
    expect(Source.all.length).toBe(2);
  });

  it("leaves no stream open behind that was only opened to ask", async () => {
    answers(200);
    watch();
    last().refuse();
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });
});
