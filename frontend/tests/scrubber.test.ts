import { describe, expect, it } from "vitest";
import { kindsOf, pathOf, scaleOf, signsOf, yOf } from "../src/scrubber";
import type { Frame, Mark } from "../src/types";
import { frame } from "./sample";

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
