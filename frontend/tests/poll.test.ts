import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Followed, poll } from "../src/live";
import { replayOf } from "./sample";

const ADDRESS = "/api/v1/games/7F3K0000/commentary/lamp/";
const asked = vi.fn<(address: string) => Promise<Response>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("fetch", asked);
  asked.mockReset();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function followed(): Followed & { extended: number[]; told: string[]; reloads: number } {
  return {
    replay: replayOf([1, 2], { viewpoint: "commentator", version: 4 }),
    extended: [],
    told: [],
    reloads: 0,
    extend(replay) {
      this.extended.push(this.replay.version);
      this.replay = replay;
    },
    tell(notice) {
      this.told.push(notice);
    },
    reload() {
      this.reloads += 1;
      return Promise.resolve();
    },
  };
}
const answer = (version: number, status: string): Response =>
  Response.json({ ...replayOf([1, 2]), version, game: { ...replayOf([1, 2]).game, status } });

it("asks a commentator's address from the version that the page has, until the game is over", async () => {
  asked.mockResolvedValueOnce(new Response("", { status: 503 }));
  asked.mockResolvedValueOnce(answer(6, "playing"));
  asked.mockResolvedValueOnce(answer(7, "finished"));
  const page = followed();
  poll(page, ADDRESS);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked.mock.calls.map(([address]) => address)).toEqual([4, 4, 6].map((since) => `${ADDRESS}?since=${since}`));
  expect([page.extended, page.reloads, page.told]).toEqual([[4, 6], 1, []]);
});

it("stops and says so when the address is withdrawn", async () => {
  asked.mockImplementation(() => Promise.resolve(new Response("", { status: 404 })));
  const page = followed();
  poll(page, ADDRESS);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([asked.mock.calls.length, page.told.length, page.reloads]).toEqual([1, 1, 0]);
});
