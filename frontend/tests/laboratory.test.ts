/** What the lab shows of a game: faults and prints before and after a bot hangs, whose fault it was, and which game. */

import { beforeEach, expect, test, vi } from "vitest";
import type { Board } from "../src/boards/contract";
import { Laboratory } from "../src/lab/laboratory.svelte";
import type { LabPage } from "../src/lab/page";
import { type Asking, Hung, Runner, Unloaded } from "../src/lab/runner";
import type { Fault, Note, PlayRequest, Progress } from "../src/lab/types";
import { FakeLink } from "./fakelink";
import { replayOf } from "./sample";
import { USUAL } from "./shortcuts";

const KIND = { kind: "chinese_ten", title: "Chinese Ten", seats_min: 2, seats_max: 4, bots: ["random"] };
const PAGE: LabPage = {
  kinds: [{ ...KIND, rules: "", explanations: "", board: "", starters: [] }],
  kind: "chinese_ten",
  document: "new/chinese_ten",
  title: "A new bot",
  source: "",
  past: null,
  frame: "",
  wheels: [],
  python_minor: 13,
  language: "en",
  shortcuts: USUAL,
  keys: "",
  moment: null,
  other: null,
  bots: null,
  login: "",
};
const SETTINGS = {
  kind: "chinese_ten",
  source: "class Bot: …",
  against: ["random"],
  seat: 0,
  deal: 0,
  options: {},
  python_minor: 13,
};
const fault = (seat: number, version: number, output = ""): Fault => ({
  seat,
  version,
  kind: "crashed",
  reason: "It crashed.",
  output,
  cost: "lay 7S",
});
const note = (seat: number, version: number, text = "so far"): Note => ({ seat, version, text });
const traceback = (line: number): string => `  File "bot.py", line ${line}, in move\n`;
const played = (more: { faults?: Fault[]; notes?: Note[] } = {}) => ({
  export: {},
  replay: replayOf([2, 3, 4, 5, 6, 7]),
  notes: [],
  faults: [],
  newer: null,
  ...more,
});
const hung = (asking: Omit<Asking, "limit">, game: Partial<Progress> = {}, printed = ""): Hung =>
  new Hung({ ...asking, limit: 11_000 }, { events: [], faults: [], notes: [], ...game }, printed);
const decided = (version: number) => {
  const last = { version, until: version + 1, played: ["lay 3"], legal: [], says: ["lay 4"], fault: null };
  return { asked: 1, last, differing: [last], notes: [note(0, version, "now")] };
};

/** What was asked of Python, and what it answers. */
let asked: [act: string, request: unknown][];
let answers: unknown[];
let lab: Laboratory;
let board: Promise<Board>;

beforeEach(() => {
  [asked, answers] = [[], []];
  board = Promise.resolve({} as Board);
  const runner = new Runner(new FakeLink());
  runner.ask = <T>(act: string, request: unknown): Promise<T> => {
    asked.push([act, request]);
    const next = answers.shift();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next as T);
  };
  lab = new Laboratory(PAGE, runner, () => board);
});

test("a game that is resumed keeps the faults and prints of its former workers", async () => {
  answers = [
    hung({ seat: 0, version: 4 }, { events: [[5, ["dealt"]]], faults: [fault(0, 2)], notes: [note(0, 3)] }, "I think"),
    // The second worker asks both seats at this version again, as in beats: one fails again, and the other hangs.
    hung({ seat: 1, version: 4 }, { faults: [fault(0, 4)], notes: [note(1, 4, "again")] }),
    played({ notes: [note(1, 6)] }),
  ];
  await lab.run(SETTINGS);
  const [, first, second] = asked.map(([, request]) => (request as PlayRequest).resume);
  expect(first?.events).toEqual([[5, ["dealt"]]]);
  const last = first?.faults.at(-1);
  expect([last?.seat, last?.version, last?.kind, last?.output]).toEqual([0, 4, "timeout", "I think"]);
  expect(second?.faults.map(({ seat, version, kind }) => [seat, version, kind])).toEqual([
    [0, 2, "crashed"],
    [0, 4, "crashed"],
    [1, 4, "timeout"],
  ]);
  expect(lab.shown?.notes).toEqual([note(0, 3), note(1, 4, "again"), note(1, 6)]);
});

test("a game is resumed until each bot can have forfeited, and no longer", async () => {
  answers = Array.from({ length: 20 }, () => hung({ seat: 0, version: 4 }));
  await lab.run({ ...SETTINGS, against: ["random", "random"] });
  expect(asked.length).toBe(1 + 3 * 3);
  expect(lab.trouble).toContain("did not answer within 11000 ms");
});

test("only the reader's own error is marked in the reader's text", async () => {
  answers = [played({ faults: [fault(1, 3, traceback(9))] })];
  await lab.run(SETTINGS);
  expect(lab.ownOutput).toBe("");
  answers = [played({ faults: [fault(1, 3, traceback(9)), fault(0, 5, traceback(4))] })];
  await lab.run(SETTINGS);
  expect(lab.ownOutput).toBe(traceback(4));
  for (const [bot, own] of [
    ["other.py", ""],
    ["bot.py", traceback(2)],
  ] as const) {
    answers = [{ refused: { kind: "start_crashed", reason: "No.", output: traceback(2), bot } }];
    await lab.run(SETTINGS);
    expect([lab.troubleOutput, lab.ownOutput]).toEqual([traceback(2), own]);
  }
});

test("a decision is shown on its own game, and no longer once another one is played", async () => {
  const recorded = { id: "7F3K0000" };
  const ask = () => lab.decide("chinese_ten", recorded, 1, 4, "class Bot: …");
  answers = [played(), decided(4), replayOf([2, 3, 4, 5], { viewpoint: "1" })];
  await lab.run(SETTINGS);
  const before = lab.shown?.controller;
  await ask();
  expect(asked.map(([act]) => act)).toEqual(["play", "decide", "view"]);
  const { controller, seat, notes } = lab.shown ?? {};
  expect([controller === before, controller?.replay.viewpoint, seat]).toEqual([false, "1", 1]);
  expect([controller?.frame?.version, notes?.[0]?.text]).toEqual([4, "now"]);
  answers = [decided(4)];
  await ask();
  expect(asked.at(-1)?.[0]).toBe("decide"); // the board stays as it is
  expect(lab.shown?.controller).toBe(controller);
  answers = [played()];
  await lab.run(SETTINGS);
  expect(lab.decided).toBeNull();
});

test("a board that cannot be loaded is said", async () => {
  const complained = vi.spyOn(console, "error").mockImplementation(() => undefined);
  board = Promise.reject(new TypeError("Failed to fetch dynamically imported module"));
  answers = [played()];
  await lab.run(SETTINGS);
  expect([lab.trouble, lab.busy]).toEqual([
    "The game could not be shown. Check your connection and reload the page. Your text is kept.",
    false,
  ]);
  complained.mockRestore();
});

test("the status says that Python could not be loaded, once", async () => {
  lab.runner.lose();
  answers = [new Unloaded()];
  await lab.run(SETTINGS);
  expect(lab.status).toBe("Python could not be loaded. Check your connection and try again.");
  expect(lab.trouble).toBe("");
});
