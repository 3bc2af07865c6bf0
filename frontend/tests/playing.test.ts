import { perform } from "../src/keys";
import { describe, expect, it } from "vitest";
import { LONGEST_MS, STEP_MS, waitAt } from "../src/playing";
import { frame, replayOf, stage } from "./sample";

const HOUR = 3_600_000;

/** A game with a highlight at its second frame, and a pause of an hour after its third. */
function game() {
  const lead = { kind: "lead" as const, seat: 0, words: "Martha takes the lead" };
  const frames = [
    frame(2, {}, { ms: 1000 }),
    frame(3, {}, { ms: 1800, marks: [lead] }),
    frame(4, {}, { ms: 1800 }),
    frame(5, {}, { ms: 1800 + HOUR }),
  ];
  return replayOf([2, 3, 4, 5], { frames });
}

describe("how long a frame stays", () => {
  it("is the same for all in even steps", () => {
    const { controller } = stage(game());
    expect([0, 1, 2].map((at) => waitAt({ ...controller, at }).ms)).toEqual([STEP_MS, STEP_MS, STEP_MS]);
  });

  it("is longer at a moment with a sign, at every speed", () => {
    const { controller } = stage(game());
    const slow = { ...controller, pace: "moments" as const, speed: 2 as const };
    expect(waitAt(slow).ms).toBe(STEP_MS / 2);
    expect(waitAt({ ...slow, at: 1 }).ms).toBe((STEP_MS * 2.5) / 2);
  });

  it("is in real time what it was, faster by the speed", () => {
    const { controller } = stage(game());
    const real = { ...controller, pace: "real" as const };
    expect(waitAt(real)).toEqual({ ms: 800, note: "" });
    expect(waitAt({ ...real, speed: 4 as const }).ms).toBe(200);
    expect(waitAt({ ...real, at: 1 }).ms).toBeGreaterThan(0);
  });

  it("is never longer than a few seconds, and then a sentence says so", () => {
    const { controller } = stage(game());
    const wait = waitAt({ ...controller, at: 2, pace: "real", speed: 8 });
    expect(wait).toEqual({ ms: LONGEST_MS, note: "A pause of 1 h 0 min was shortened." });
  });
});

describe("playing in real time", () => {
  it("tells of a shortened pause as long as it lasts", () => {
    const { controller, pass } = stage(game(), {}, 4);
    controller.setPace("real");
    controller.toggle();
    expect(controller.shortened).toContain("1 h");
    pass();
    expect(controller).toMatchObject({ at: 3, shortened: "" });
  });

  it("comes after even steps and slow moments when its key is pressed", () => {
    const { controller } = stage(game());
    const paces = [1, 2, 3].map(() => (perform({ do: "pace" }, controller), controller.pace));
    expect(paces).toEqual(["moments", "real", "even"]);
  });
});

describe("moments with a sign", () => {
  it("are reached by a key, and beyond the last is the end", () => {
    const { controller } = stage(game());
    perform({ do: "moment", by: 1 }, controller);
    expect(controller.at).toBe(1);
    perform({ do: "moment", by: 1 }, controller);
    expect(controller.at).toBe(3);
    perform({ do: "moment", by: -1 }, controller);
    expect(controller.at).toBe(1);
  });
});

describe("the head of a live game", () => {
  it("is where the newest event is, of a game that is on", () => {
    const on = replayOf([2, 3]);
    on.game.status = "playing";
    const { controller } = stage(on);
    expect(controller.atHead).toBe(true);
    controller.step(-1);
    expect(controller.atHead).toBe(false);
    expect(stage(replayOf([2])).controller.atHead).toBe(false);
  });
});
