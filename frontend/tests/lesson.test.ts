/** An introduction's controller: what a move leads to is the server's answer, and mistakes are counted by step. */

import { describe, expect, it } from "vitest";
import { replayOf } from "./sample";
import { Lesson, lessonWorld, type Server } from "../src/introduction/lesson.svelte";
import type { Introduction } from "../src/types";

const browser = { wait: () => Promise.resolve(), now: () => 0, key: () => "k", still: () => true };

function answer(part: Partial<Introduction>): Introduction {
  const empty = {
    made: [],
    mistake: "m",
    todo: ["Play it"],
    frames: [],
    scores: [],
    asks: "",
    items: {},
    since: 3,
    version: 3,
  };
  return { ...empty, step: 1, steps: 3, text: "t", turn: {} as Introduction["turn"], tried: null, ...part };
}

function tried(part: Partial<NonNullable<Introduction["tried"]>>): NonNullable<Introduction["tried"]> {
  return { move: "x", legal: true, wanted: false, clause: "", sentence: "", ...part };
}

function lessonWith(...answers: Introduction[]): { lesson: Lesson; asked: unknown[][] } {
  const asked: unknown[][] = [];
  const server: Server = {
    ask: (...question) => {
      asked.push(question);
      const next = answers.shift();
      return next ? Promise.resolve(next) : Promise.reject(new Error("away"));
    },
  };
  return { lesson: new Lesson({ ...answer({}), address: "", play: "" }, server), asked };
}

describe("an introduction", () => {
  it("answers an illegal move with the sentence of the rules, and counts a mistake", async () => {
    const { lesson } = lessonWith(
      answer({ tried: tried({ legal: false, clause: "PS-11", sentence: "Fill them first." }) }),
    );
    const { status, body } = await lessonWorld(lesson, browser).post("moves/", { move: "grab" });
    expect([status, (body.error as { clause: string }).clause]).toEqual([409, "PS-11"]);
    expect([lesson.shown.missed, lesson.shown.step]).toEqual([1, 1]);
  });

  it("does not play a legal move that the step is not about, and says nothing against the rules", async () => {
    const { lesson } = lessonWith(answer({ tried: tried({}) }));
    const { body } = await lessonWorld(lesson, browser).post("moves/", { move: "roll" });
    expect(body.error).toMatchObject({ code: "not_asked", sentence: "" });
    expect(lesson.shown.missed).toBe(1);
  });

  it("goes on with the right move, and forgets the mistakes of the step", async () => {
    const { lesson } = lessonWith(
      answer({ tried: tried({}) }),
      answer({ step: 2, text: "next", tried: tried({ wanted: true }) }),
    );
    const world = lessonWorld(lesson, browser);
    await world.post("moves/", { move: "wrong" });
    const { status } = await world.post("moves/", { move: "right" });
    expect([status, lesson.shown.step, lesson.shown.text, lesson.shown.missed]).toEqual([200, 2, "next", 0]);
  });

  it("shows the board of the next step, too, where the right move was made beside its place", async () => {
    const right = answer({ step: 2, tried: tried({ wanted: true }) });
    const { lesson } = lessonWith(right);
    const taken: unknown[] = [];
    lesson.table = { replay: replayOf([2]), change: () => undefined, take: (news) => void taken.push(news) };
    await lessonWorld(lesson, browser).why("right", []);
    expect([lesson.shown.step, taken]).toEqual([2, [right]]);
  });

  it("asks nothing about a touch in a step that is only read", async () => {
    const { lesson, asked } = lessonWith();
    lesson.shown = { ...lesson.shown, todo: [] };
    expect(await lessonWorld(lesson, browser).why("draft P1", [])).toEqual({ legal: true });
    expect([asked, lesson.shown.missed]).toEqual([[], 0]);
  });

  it("asks with the moves of the step that were made already", async () => {
    const { lesson, asked } = lessonWith(
      answer({ made: ["a"], tried: tried({ wanted: true }) }),
      answer({ step: 2, tried: tried({ wanted: true }) }),
    );
    await lesson.try("a");
    await lesson.try("b");
    expect(asked[1]).toEqual([1, ["a"], 0, "b"]);
  });

  it("shows the events of others three times as long as a table does, and waits for all things of a move", async () => {
    const waited: number[] = [];
    const wait = (ms: number): Promise<void> => (waited.push(ms), Promise.resolve());
    const world = lessonWorld(lessonWith().lesson, { ...browser, wait });
    await world.wait(100);
    expect([waited, world.deliberate]).toEqual([[300], true]);
  });

  it("says that the server is away, and stays where it is", async () => {
    const { lesson } = lessonWith();
    await lesson.next();
    expect([lesson.shown.lost, lesson.shown.step]).toEqual([true, 1]);
  });
});
