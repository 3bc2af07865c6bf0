import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { follow } from "../src/live";
import { listen, SILENCE_MS } from "../src/stream";
import type { Replay } from "../src/types";
import { replayOf } from "./sample";

/** An open stream, and how the server writes into it. */
interface Open {
  tell(type: string, data?: object): void;
  write(text: string): void;
  end(): void;
  breakOff(): void;
  signal: AbortSignal;
}

const asked: { address: string; at: number }[] = [];
const streams: Open[] = [];
const last = (): Open => streams.at(-1) as Open;
let server: () => Response | null = () => null;

/** The server. It answers with a stream unless `server` gives another answer. */
function serve(address: string, { signal }: RequestInit): Promise<Response> {
  asked.push({ address, at: Date.now() });
  const other = server();
  if (other) return Promise.resolve(other);
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      const write = (text: string): void => stream.enqueue(new TextEncoder().encode(text));
      streams.push({
        write,
        tell: (type, data = {}) => write(`id: 7\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
        end: () => stream.close(),
        breakOff: () => stream.error(new TypeError("network error")),
        signal: signal as AbortSignal,
      });
      signal?.addEventListener("abort", () => stream.error(signal.reason));
    },
  });
  return Promise.resolve(new Response(body));
}

const answers = (status: number, headers: Record<string, string> = {}): void => {
  server = () => new Response(null, { status, headers });
};
const opens = (): void => {
  server = () => null;
};
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const settled = (): Promise<unknown> => pass(0);

let page: EventTarget;
beforeEach(() => {
  vi.useFakeTimers();
  const { setTimeout, clearTimeout } = globalThis;
  vi.stubGlobal("window", (page = Object.assign(new EventTarget(), { setTimeout, clearTimeout })));
  vi.stubGlobal("fetch", serve);
  vi.spyOn(Math, "random").mockReturnValue(0);
  asked.length = streams.length = 0;
  opens();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a stream", () => {
  let version = 3;
  const heard: string[] = [];
  const links: boolean[] = [];
  const refused = vi.fn();
  const open = async (): Promise<() => void> => {
    const stop = listen({
      address: () => `/events/?since=${version}`,
      longest: 10_000,
      heard: (type, data) => void heard.push(`${type} ${data}`),
      link: (on) => void links.push(on),
      refused,
    });
    await settled();
    return stop;
  };

  beforeEach(() => {
    version = 3;
    heard.length = links.length = 0;
    refused.mockClear();
  });

  it("gives each event once it is whole, however the bytes come", async () => {
    await open();
    last().write('event: game\ndata: {"a"');
    await settled();
    expect(heard).toEqual([]);
    last().write(":1}\n\n: still here\n\nid: 4\nevent: event\ndata: {}\n\n");
    await settled();
    expect(heard).toEqual(['game {"a":1}', "event {}"]);
    expect(links).toEqual([true]);
  });

  it.each([
    ["ends", () => last().end()],
    ["breaks", () => last().breakOff()],
  ])("that %s is opened again from what the page has by then", async (_how, stops) => {
    await open();
    last().tell("game");
    await settled();
    version = 7;
    stops();
    await settled();
    expect(links).toEqual([true, false]);
    await pass(500);
    last().tell("game");
    await settled();
    expect(asked.map(({ address }) => address)).toEqual(["/events/?since=3", "/events/?since=7"]);
    expect(links).toEqual([true, false, true]);
  });

  it("is opened again when the server said", async () => {
    await open();
    last().write("retry: 2400\n\n");
    last().end();
    await pass(2399);
    expect(asked).toHaveLength(1);
    await pass(1);
    expect(asked).toHaveLength(2);
  });

  it("is lost when nothing is heard for long; a sign of life counts", async () => {
    await open();
    await pass(SILENCE_MS - 1);
    last().write(": still here\n\n");
    await pass(SILENCE_MS - 1);
    expect(last().signal.aborted).toBe(false);
    await pass(1);
    expect([last().signal.aborted, links]).toEqual([true, [false]]);
  });

  it.each([
    ["for want of room", () => answers(429, { "Retry-After": "30" }), 30_000],
    ["while the database is away", () => answers(503, { "Retry-After": "5" }), 5000],
    ["by a proxy that does not say for how long", () => answers(502), 500],
    ["until a day", () => answers(503, { "Retry-After": "Sun, 22 Nov 2026 08:00:00 GMT" }), 500],
  ])("that is refused %s is opened again", async (_why, refuses, after) => {
    refuses();
    await open();
    await pass(after - 1);
    expect(asked).toHaveLength(1);
    await pass(1);
    expect(asked).toHaveLength(2);
  });

  it("that fails each time after its first lines is asked for ever more seldom", async () => {
    await open();
    for (const after of [500, 1000, 2000, 4000, 8000, 10_000]) {
      last().tell("game");
      last().tell("end", { reason: "fault" });
      last().end();
      const tries = asked.length;
      await pass(after - 1);
      expect(asked).toHaveLength(tries);
      await pass(1);
      expect(asked).toHaveLength(tries + 1);
    }
  });

  it("is asked for ever more seldom, and soon again once it was open for a while", async () => {
    answers(503);
    await open();
    await pass(60_000);
    const pauses = asked.slice(1).map(({ at }, place) => (at - (asked[place]?.at ?? 0)) / 1000);
    expect(pauses.slice(0, 7)).toEqual([0.5, 1, 2, 4, 8, 10, 10]);
    opens();
    await pass(10_000);
    last().tell("game");
    await pass(10_000);
    const tries = asked.length;
    last().breakOff();
    await pass(500);
    expect(asked).toHaveLength(tries + 1);
  });

  it.each([401, 403, 404])("that is refused with %i is let be", async (status) => {
    answers(status);
    await open();
    await pass(600_000);
    page.dispatchEvent(new Event("online"));
    expect([asked.length, refused.mock.calls.length, links]).toEqual([1, 1, [false]]);
  });

  it("is opened at once when the machine is on line again, and by who comes back to the page", async () => {
    await open();
    last().tell("game");
    await settled();
    page.dispatchEvent(new Event("offline"));
    expect(links).toEqual([true, false]);
    page.dispatchEvent(new Event("online"));
    expect(asked).toHaveLength(2);
    page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
    expect(asked).toHaveLength(2);
    page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    expect(asked).toHaveLength(3);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  });

  it("is closed when the page stops, and nothing of it is heard any more", async () => {
    const stop = await open();
    last().tell("game");
    stop();
    await pass(600_000);
    page.dispatchEvent(new Event("online"));
    expect([asked.length, last().signal.aborted, heard]).toEqual([1, true, []]);
  });
});

describe("a game that is watched", () => {
  const controller = {
    replay: replayOf([2, 3], { viewpoint: "public", version: 3 }),
    extend: vi.fn((replay: Replay) => void (controller.replay = replay)),
    reload: vi.fn(() => Promise.resolve()),
    tell: vi.fn(),
  };
  beforeEach(() => {
    vi.clearAllMocks();
    controller.replay = replayOf([2, 3], { viewpoint: "public", version: 3 });
  });
  const line = (version: number) => ({ since: version - 1, version, frames: [], scores: [] });

  it("is followed from what the page has, and each line brings its frames", async () => {
    follow(controller, "/events/");
    await settled();
    expect(asked[0]?.address).toBe("/events/?viewpoint=public&frames=1&since=3");
    last().tell("game");
    last().tell("frames", line(4));
    last().tell("frames", line(5));
    await settled();
    expect(controller.extend.mock.calls.map(([{ version }]) => version)).toEqual([4, 5]);
    expect(asked).toHaveLength(1);
  });

  it("says that it cannot be followed any more where the server refuses", async () => {
    answers(403);
    follow(controller, "/events/");
    await settled();
    expect(controller.tell).toHaveBeenCalledTimes(1);
  });

  it("is over at once and then fetched whole, and its stream is closed", async () => {
    follow(controller, "/events/");
    await settled();
    const outcome = { termination: "played", scores: [4, 2], placings: [1, 2] };
    last().tell("over", { status: "finished", outcome });
    await pass(500);
    expect([controller.reload.mock.calls.length, controller.extend.mock.calls.length]).toEqual([1, 1]);
    expect(controller.replay.game).toMatchObject({ status: "finished", outcome });
    expect(last().signal.aborted).toBe(true);
  });
});
