import { describe, expect, it } from "vitest";
import { chaptersOf, kindsOf, pathOf, scaleOf, signsOf, yOf } from "../src/scrubber";
import type { Frame, Mark } from "../src/types";
import { nextText } from "../src/views/words";
import { frame, replayOf } from "./sample";

function marked(kinds: (Mark["kind"] | null)[]): Frame[] {
  return kinds.map((kind, at) => frame(at + 2, {}, { marks: kind ? [{ kind, seat: 0, words: kind }] : [] }));
}

describe("the players' lines", () => {
  it("go on level and rise where the score changed", () => {
    const scores = [[0], [0], [10], [10], [20]];
    expect(pathOf(scores, 0, { low: 0, high: 20 })).toBe("M0 96H500V52H1000V8H1000");
  });

  it("are scaled to the highest score, and drawn even if nobody scored", () => {
    expect(
      scaleOf([
        [5, 40],
        [20, 10],
      ]),
    ).toEqual({ low: 0, high: 40 });
    expect(scaleOf([[0, 0]])).toEqual({ low: 0, high: 1 });
    expect(scaleOf([])).toEqual({ low: 0, high: 1 });
    expect(yOf(0, { low: 0, high: 1 })).toBeGreaterThan(yOf(1, { low: 0, high: 1 }));
  });
});

describe("the signs above them", () => {
  it("stand where their steps are", () => {
    const signs = signsOf(marked([null, "lead", null, null, "capture"]), 2);
    expect(signs.map(({ at, left, kind }) => [at, left, kind])).toEqual([
      [1, 25, "lead"],
      [4, 100, "capture"],
    ]);
  });

  it("give way to the weightier where two would touch", () => {
    const frames = marked(["clear", "round", null, null, "clear"]);
    expect(signsOf(frames, 30).map((sign) => sign.kind)).toEqual(["round", "clear"]);
    expect(signsOf(frames, 1)).toHaveLength(3);
  });

  it("are listed in the legend once each", () => {
    expect(kindsOf(marked(["capture", "lead", "capture"]))).toEqual(["lead", "capture"]);
  });
});

describe("chapters", () => {
  it("are the rounds of a kind that has some", () => {
    const found = chaptersOf(marked(["round", null, "lead", "round", null]), 9);
    expect(found.map(({ at, number, round, left, width }) => [at, number, round, left, width])).toEqual([
      [0, 1, true, 0, 75],
      [3, 2, true, 75, 25],
    ]);
  });

  it("are turns of all players otherwise, several in one if there is no room", () => {
    const seats = [null, 1, 1, 0, 1, 0, 1, 1, 0, 1];
    const frames = seats.map((seat, at) => frame(at + 2, {}, { seat }));
    expect(chaptersOf(frames, 9).map(({ at, number }) => [at, number])).toEqual([
      [1, 1],
      [4, 2],
      [6, 3],
      [9, 4],
    ]);
    expect(chaptersOf(frames, 2).map(({ at, number }) => [at, number])).toEqual([
      [1, 1],
      [6, 3],
    ]);
    expect(chaptersOf(frames.slice(0, 4), 9)).toEqual([]);
  });
});

describe("what comes next", () => {
  it("says who moves, what is asked and how long they have", () => {
    const at = (observation: Record<string, unknown>, asks = "") =>
      replayOf([2], { frames: [frame(2, {}, { observation })], asks });
    expect(nextText(at({ to_act: [0, 1] }, "a card"), "10 s a move; a player whose time runs out forfeits")).toBe(
      "Next: Martha and Laura: a card · 10 s a move",
    );
    expect(nextText(at({ turn: 1, to_act: [0, 1] }), "")).toBe("Next: Laura");
    expect(nextText(at({ turn: null }), "10 s")).toBe("");
  });
});
