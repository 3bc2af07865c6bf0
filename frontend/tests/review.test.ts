import { describe, expect, it } from "vitest";
import { bandPath, chanceText, linePath, mistakeSigns, placed } from "../src/review/curve";
import { Reviewing, type World } from "../src/review/reviewing.svelte";
import type { Mistake, Review } from "../src/types";
import { frame, replayOf, stage } from "./sample";

const frames = [2, 3, 5, 6].map((version) => frame(version));
const curve = [
  { version: 2, chance: 0.5, error: 0.1 },
  { version: 4, chance: 0.25, error: 0 },
  { version: 6, chance: 1, error: 0 },
];

function mistake(version: number, cost: number): Mistake {
  const event = version + 1;
  return {
    version,
    step: version,
    event,
    move: "Lay 3",
    best: "Lay 4",
    cost,
    error: 0.01,
    strong: "",
    better: null,
    made: null,
  };
}

function reviewOf(seat: number, more: Partial<Review> = {}): Review {
  const done = { state: "done" as const, progress: 100, method: "1-0", summary: [], mistakes: [mistake(3, 0.1)] };
  return { game: "7F3K0000", seat, ...done, review: { curve }, ...more };
}

describe("the curve", () => {
  it("stands over the frames of its moments, or the last ones before, with two standard errors on each side", () => {
    const [points = []] = placed(curve, frames);
    expect(linePath(points)).toBe("M0 50L333.3 75L1000 0");
    expect(bandPath(points)).toBe("M0 30L333.3 75L1000 0L1000 0L333.3 75L0 70Z");
  });

  it("is no path without points", () => {
    expect([linePath([]), bandPath([])]).toEqual(["", ""]);
  });

  it("has one point a frame, the last", () => {
    expect(
      placed([...curve, { version: 7, chance: 0, error: 0 }], frames)
        .at(-1)
        ?.at(-1),
    ).toEqual({
      x: 1000,
      chance: 0,
      error: 0,
    });
  });

  it("is said in words at each moment", () => {
    expect(chanceText(curve, 3, "Martha")).toBe("Chance of Martha: 50 % ± 20.");
    expect(chanceText(curve, 5, "Martha")).toBe("Chance of Martha: 25 % ± 0.");
    expect(chanceText([], 5, "Martha")).toBe("");
  });

  it("has a gap where nothing was measured, and says so", () => {
    const [first, , last] = curve;
    const gap = [first, { version: 4, chance: null, error: null }, last].filter((point) => point !== undefined);
    expect(placed(gap, frames).map(linePath)).toEqual(["M0 50", "M1000 0"]);
    expect(chanceText(gap, 5, "Martha")).toBe("The chance of Martha was not measured here.");
  });
});

it("signs of mistakes give way to the costlier where two would touch", () => {
  const mistakes = [mistake(2, 0.1), mistake(3, 0.3), mistake(6, 0.2)];
  expect(mistakeSigns(mistakes, frames, 50).map(({ at }) => at)).toEqual([1, 3]);
  expect(mistakeSigns(mistakes, frames, 1).map(({ left }) => left)).toEqual([0, 33.33, 100]);
});

describe("the review of a seat", () => {
  function reviewing(answers: (Review | Error)[]) {
    const { controller } = stage(replayOf([2, 3, 5, 6]));
    const asked: string[] = [];
    const waits: (() => void)[] = [];
    const world: World = {
      fetch(seat, method) {
        asked.push(`${method} ${seat}`);
        const answer = answers.shift();
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as Review);
      },
      later: (_ms, call) => (waits.push(call), () => void waits.splice(waits.indexOf(call), 1)),
    };
    return { controller, asked, waits, made: new Reviewing(controller, world) };
  }
  const settled = () => new Promise((resolve) => setTimeout(resolve));

  it("hands its mistakes to the viewer, until another seat is chosen", async () => {
    const { controller, made } = reviewing([reviewOf(0), reviewOf(1, { state: "not_asked", mistakes: [] })]);
    made.show(0);
    await settled();
    expect(controller.mistakes).toEqual([3]);
    made.show(1);
    expect(controller.mistakes).toEqual([]);
    await settled();
    expect(made.answer?.state).toBe("not_asked");
  });

  it("is waited for once it is asked for", async () => {
    const waiting = reviewOf(0, { state: "computing", progress: 40, mistakes: [], review: null });
    const { asked, made, waits } = reviewing([{ ...waiting, state: "not_asked" }, waiting, waiting, reviewOf(0)]);
    made.show(0);
    await settled();
    expect(waits).toHaveLength(0);
    made.ask();
    await settled();
    waits.shift()?.();
    await settled();
    waits.shift()?.();
    await settled();
    expect(asked).toEqual(["GET 0", "POST 0", "GET 0", "GET 0"]);
    expect(made.answer?.state).toBe("done");
    expect(waits).toHaveLength(0);
  });

  it("is waited for although the server could not be reached once", async () => {
    const waiting = reviewOf(0, { state: "computing", progress: 40, mistakes: [], review: null });
    const { made, waits } = reviewing([waiting, new Error("The server could not be reached."), reviewOf(0)]);
    made.show(0);
    await settled();
    waits.shift()?.();
    await settled();
    expect([made.said, made.answer?.state]).toEqual(["The server could not be reached.", "computing"]);
    expect(waits).toHaveLength(1);
    waits.shift()?.();
    await settled();
    expect([made.said, made.answer?.state]).toEqual(["", "done"]);
  });

  it("is no longer waited for when another seat is chosen", async () => {
    const { made, waits } = reviewing([reviewOf(0, { state: "waiting", mistakes: [], review: null })]);
    made.show(0);
    await settled();
    expect(waits).toHaveLength(1);
    made.show(null);
    expect(waits).toHaveLength(0);
    expect(made.answer).toBeNull();
  });

  it("that is refused says why", async () => {
    const { made } = reviewing([new Error("Wait until one of them is finished.")]);
    made.show(0);
    await settled();
    expect(made.said).toBe("Wait until one of them is finished.");
  });
});
