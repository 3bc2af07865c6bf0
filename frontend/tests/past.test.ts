/** A bot is asked again at its last games: what differs, what it had cost, and what happens to closed games. */

import { beforeEach, expect, it, vi } from "vitest";
import { costOf, isBest, Lost, luckOf, Past, reader, Unread } from "../src/lab/past.svelte";
import { Hung, Stopped } from "../src/lab/runner";
import type { Decided, Decision } from "../src/lab/types";

const GAMES = "/api/v1/games/?player=7";
const decision = (version: number, says: string[] = ["lay 3"]): Decision => ({
  version,
  until: version + 1,
  played: ["lay 4"],
  legal: ["lay 3", "lay 4"],
  says,
  fault: null,
});
const review = (version: number, cost: number) => ({
  version,
  event: version + 1,
  mark: "mistake",
  best: "lay 3",
  cost,
  error: 0.01,
});
const entry = (version: number, gain: number) => ({ version, sort: "decision", seat: 0, gains: [gain, -gain] });

let answers: Record<string, unknown>;
let decided: (Decided | Error)[];
let asked: unknown[];
let past: Past;

beforeEach(() => {
  const seats = [
    { seat: 0, player: { id: 7 } },
    { seat: 1, player: { id: 8 } },
  ];
  answers = {
    [`${GAMES}&kind=palace`]: { results: ["A", "B"].map((id) => ({ id, kind: "palace", seats })) },
    "/api/v1/games/A/export/": "game A",
    "/api/v1/games/B/export/": "game B",
    "/api/v1/games/A/luck/": { entries: [entry(11, -0.02), entry(21, 0.04)] },
    "/api/v1/games/A/review/0/": { review: { decisions: [review(10, 0.1)] } },
  };
  decided = [
    { asked: 30, last: null, differing: [decision(20), decision(10)], notes: [] },
    { asked: 20, last: null, differing: [], notes: [] },
  ];
  asked = [];
  const world = {
    runner: {
      ask: (_act: string, request: unknown) => {
        asked.push(request);
        const next = decided.shift();
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(next as never);
      },
      stop: () => undefined,
    },
    read: (address: string) =>
      address in answers ? Promise.resolve(answers[address]) : Promise.reject(new Unread(address)),
  };
  past = new Past(world, { player: 7, games: GAMES });
});

it("asks the seat of the version in each game, and lists what differs, the costliest first", async () => {
  await past.run("palace", "class Bot: …");
  expect(asked).toEqual(["A", "B"].map((id) => ({ export: `game ${id}`, seat: 0, to: null, source: "class Bot: …" })));
  expect([past.done, past.whole, past.asked, past.running]).toEqual([2, 2, 50, false]);
  expect(past.rows.map((row) => [row.decision.version, costOf(row), row.luck, isBest(row)])).toEqual([
    [10, 0.1, -0.02, true],
    [20, -0.04, 0.04, false],
  ]);
});

it("goes on after a game that is not open to everybody yet, and counts it", async () => {
  delete answers["/api/v1/games/A/export/"];
  await past.run("palace", "");
  expect([past.done, past.unread, asked.length, past.trouble]).toEqual([2, 1, 1, ""]);
});

it("shows what differs also where there is neither a ledger nor a review", async () => {
  delete answers["/api/v1/games/A/luck/"];
  delete answers["/api/v1/games/A/review/0/"];
  await past.run("palace", "");
  expect(past.rows.map(({ luck, review: found }) => [luck, found])).toEqual([
    [null, null],
    [null, null],
  ]);
});

it("stops after the present game", async () => {
  const running = past.run("palace", "");
  past.stop();
  await running;
  expect([past.done, asked.length]).toEqual([0, 0]);
});

it("says that the bot did not answer, and keeps what was found", async () => {
  decided[1] = new Hung({ seat: 0, version: 12, limit: 1000 }, { events: [], faults: [], notes: [] }, "");
  await past.run("palace", "");
  expect(past.trouble).toMatch(/^Your bot did not answer in time after event 12/);
  expect([past.rows.length, past.running]).toEqual([2, false]);
});

it("takes a lost connection for what it is, and no game for a closed one", async () => {
  const statuses = [503, 0, 404, 409];
  const answered = () => {
    const status = statuses.shift() ?? 0;
    return status ? Promise.resolve(new Response("", { status })) : Promise.reject(new TypeError("no connection"));
  };
  vi.stubGlobal("fetch", answered);
  const read = reader(() => Promise.resolve());
  const errors: unknown[] = [];
  for (let at = 0; at < 4; at++) await read("/", () => false).catch((error: unknown) => errors.push(error));
  expect(errors.map((error) => error instanceof Lost)).toEqual([true, true, false, false]);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("", { status: 429 })));
  await expect(read("/", () => true)).rejects.toBeInstanceOf(Stopped);
  vi.unstubAllGlobals();
});

it("adds up the moves of a bundle", () => {
  const bundle = { ...decision(10), until: 14 };
  expect(luckOf([entry(11, 0.25), entry(13, -0.5), entry(15, 1)], bundle, 0)).toBe(-0.25);
  expect(luckOf([], bundle, 0)).toBeNull();
});
