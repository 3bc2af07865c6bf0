/** The analysis of a moment in the viewer: what is asked of the worker, and what is said when it fails. */

import { beforeEach, describe, expect, it } from "vitest";
import { Analysing, LOST_MS, PASSED_MS, SLOW_MS, type World } from "../src/analyse/analysing.svelte";
import type { Analysis, Moment } from "../src/analyse/types";
import { decisionAt, luckOf, reviewed, sureness } from "../src/analyse/words";
import { Runner } from "../src/lab/runner";
import { FakeLink } from "./fakelink";

const moment = { seat: 0, version: 20 };

function analysis(spent: number, more: Partial<Analysis> = {}): Analysis {
  const value = { chance: 0.6, error: 0.02, worlds: 16 };
  const moves = [
    { move: "lay 3", ...value, cost: 0, cost_error: 0 },
    { move: "lay 4", ...value, cost: 0.06, cost_error: 0.02 },
  ];
  const words = { "lay 3": "Lay the 3", "lay 4": "Lay the 4" };
  const told = { chance: 0.55, error: 0.03, samples: 40, policy: "sensible", made: "lay 4" };
  return { ...moment, ...told, moves, words, spent, budget: 100, over: false, ...more };
}

let link: FakeLink;
let runner: Runner;
let kept: Analysis | null;
let entries: object[] | null;
let analysing: Analysing;
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};
const asked = () => link.posted.filter((each) => each.act === "analyse");
const news = (id: unknown, told: Analysis): void => runner.take({ id, news: JSON.stringify(told) });

beforeEach(() => {
  link = new FakeLink();
  runner = new Runner(link);
  kept = null;
  entries = [];
  const world: World = {
    runner,
    wake: () => Promise.resolve(runner.state === "asleep" ? runner.wake() : undefined),
    game: () => Promise.resolve({ format: "scorebook-game" }),
    luck: () => Promise.resolve(entries as never),
    later: (ms, call) => link.later(ms, call),
    keep: (_moment: Moment, told) => (kept = told),
    kept: ({ version }) => (kept?.version === version ? kept : null),
  };
  analysing = new Analysing(world);
});

/** Begin at a moment, and answer for Python until the first news. */
async function begin(at: Moment = moment): Promise<unknown> {
  analysing.show(at);
  link.pass(PASSED_MS);
  await settle();
  if (runner.state === "loading") runner.take({ ready: true });
  await settle();
  return asked().at(-1)?.id;
}

describe("an analysis", () => {
  it("asks for the moment when Python is there, and shows each step until it is over", async () => {
    const id = await begin();
    expect(JSON.parse(asked()[0]?.ask as string)).toEqual({ export: { format: "scorebook-game" }, ...moment });
    news(id, analysis(10));
    expect([analysing.state, analysing.shown?.spent]).toEqual(["working", 10]);
    runner.take({ id, answer: JSON.stringify(analysis(100, { over: true })) });
    await settle();
    expect([analysing.state, analysing.shown?.spent, kept?.spent]).toEqual(["over", 100, 100]);
  });

  it("leaves out moments that the reader only passes by", async () => {
    analysing.show(moment);
    analysing.show({ ...moment, version: 21 });
    await begin({ ...moment, version: 22 });
    expect(asked().map(({ ask }) => (JSON.parse(ask as string) as Moment).version)).toEqual([22]);
  });

  it("hears nothing more of a moment that the reader has left", async () => {
    const id = await begin();
    news(id, analysis(10));
    await begin({ ...moment, version: 30 });
    expect(link.posted).toContainEqual({ id: 0, act: "stop" });
    news(id, analysis(20));
    expect(analysing.shown).toBeNull();
  });

  it("shows at once what was found before the page was left, and goes on from there", async () => {
    kept = analysis(50);
    const id = await begin();
    news(id, analysis(10));
    expect([analysing.shown?.spent, analysing.before]).toEqual([50, true]);
    news(id, analysis(60));
    expect([analysing.shown?.spent, analysing.before]).toEqual([60, false]);
  });

  it("is stopped, also for other moments, until it is begun again", async () => {
    news(await begin(), analysis(10));
    analysing.stop();
    await begin({ ...moment, version: 30 });
    expect([analysing.state, asked().length]).toEqual(["stopped", 1]);
    analysing.again();
    link.pass(PASSED_MS);
    await settle();
    expect(asked().length).toBe(2);
  });

  it.each([
    ["reads the luck from the server", true],
    ["computes it here where the server has none", false],
  ])("%s", async (_what, known) => {
    const entry = { version: 20, sort: "chance", seat: null, gains: [0.03, -0.03] };
    entries = known ? [entry] : null;
    news(await begin(), analysis(10));
    await settle();
    const computed = link.posted.filter(({ act }) => act === "luck");
    expect(computed.length).toBe(known ? 0 : 1);
    for (const { id } of computed) runner.take({ id, answer: JSON.stringify({ entries: [entry] }) });
    await settle();
    expect(analysing.luck).toEqual([entry]);
  });

  it("says after two seconds that the worker is silent, and then that it was lost", async () => {
    news(await begin(), analysis(10));
    link.pass(SLOW_MS);
    expect(analysing.slow).toBe(true);
    link.pass(LOST_MS);
    await settle();
    expect([link.restarts(), analysing.state, analysing.shown?.spent]).toEqual([1, "failed", 10]);
    expect(analysing.trouble).toMatch(/^Python did not answer any more/);
  });

  it("says so where Python cannot run, and asks no more", async () => {
    runner.take({ broken: "WebAssembly is missing." });
    await begin();
    expect(analysing.state).toBe("broken");
    expect(analysing.trouble).toMatch(/^Python could not be started in this browser/);
    await begin({ ...moment, version: 30 });
    expect([asked(), analysing.state]).toEqual([[], "broken"]);
  });

  it("says that Python could not be loaded, and can be asked again", async () => {
    runner.lose();
    await begin();
    expect(analysing.state).toBe("failed");
    expect(analysing.trouble).toBe("Python could not be loaded. Check your connection and try again.");
  });

  it("says why a moment cannot be analysed", async () => {
    const reason = "The game is over at this moment.";
    runner.take({ id: await begin(), answer: JSON.stringify({ refused: { reason } }) });
    await settle();
    expect([analysing.state, analysing.trouble]).toEqual(["failed", reason]);
  });
});

describe("in words", () => {
  it("says how sure it is which move is best", () => {
    const two = (cost: number): string => {
      const { moves } = analysis(1);
      return sureness(analysis(1, { moves: moves.map((each) => (each.cost ? { ...each, cost } : each)) }));
    };
    expect(two(0.1)).toBe("“Lay the 3” is the best move, almost certainly.");
    expect(two(0.05)).toBe("“Lay the 3” is better than “Lay the 4”, probably.");
    expect(two(0.01)).toBe("Whether “Lay the 3” or “Lay the 4” is better is not certain yet.");
    expect(sureness(analysis(1, { moves: [] }))).toBe("");
  });

  it("adds up what happened since the step before", () => {
    const seats = ["Tin Whistle", "Martha"].map((name, seat) => ({ seat, name })) as never;
    const luck = [
      { version: 19, sort: "chance", seat: null, gains: [0.5, -0.5] },
      { version: 20, sort: "chance", seat: null, gains: [0.03, -0.03] },
      { version: 21, sort: "chance", seat: null, gains: [0.02, -0.02] },
      { version: 21, sort: "decision", seat: 1, gains: [0.04, -0.04] },
    ];
    expect(luckOf(luck, { before: 19, version: 21 }, 1, seats)).toEqual(["luck −5", "the decision of Martha −4"]);
  });

  it("finds the decision of the server's review, also one that was given before a beat", () => {
    const decisions = [
      { version: 10, event: 14, mark: "mistake", cost: 0.08, error: 0.01 },
      { version: 20, event: 21, mark: "best", cost: 0, error: 0 },
    ];
    expect([9, 10, 13, 14, 20].map((at) => decisionAt(decisions, at)?.mark)).toEqual([
      undefined,
      "mistake",
      "mistake",
      undefined,
      "best",
    ]);
    expect(decisions.map(reviewed)).toEqual([
      "A mistake: it cost 8 percentage points, ± 2.",
      "No better move was found.",
    ]);
  });
});
