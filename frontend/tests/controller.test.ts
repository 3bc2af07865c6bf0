import { perform } from "../src/keys";
import { applyNews } from "../src/news";
import { complete, missed } from "../src/rest";
import { describe, expect, it } from "vitest";
import { STEP_MS } from "../src/playing";
import type { Clocks, Replay } from "../src/types";
import { replayOf, stage } from "./sample";

const versions = [2, 3, 5, 6];

describe("where a page begins", () => {
  it("is the linked version, or the last step before it", () => {
    expect(stage(replayOf(versions), {}, 5).controller.frame?.version).toBe(5);
    expect(stage(replayOf(versions), {}, 4).controller.frame?.version).toBe(3);
  });

  it("is the start of a finished game and the end of a live one", () => {
    expect(stage(replayOf(versions)).controller.at).toBe(0);
    const live = replayOf(versions);
    live.game.status = "playing";
    expect(stage(live).controller.at).toBe(3);
  });
});

describe("whose turn it is", () => {
  it("is nobody's at the end of a game, though a player who resigned was to move", () => {
    const replay = replayOf(versions);
    for (const each of replay.frames) each.observation = { turn: 1, to_act: [1] };
    expect(stage(replay, {}, 6).controller.frame?.observation).toEqual({ turn: null, to_act: [] });
    expect(stage(replay, {}, 5).controller.frame?.observation.turn).toBe(1);
    replay.game.status = "playing";
    expect(stage(replay, {}, 6).controller.frame?.observation.turn).toBe(1);
  });
});

describe("stepping", () => {
  it("goes on and back, stops at both ends, and remembers the place", () => {
    const { controller, remembered } = stage(replayOf(versions));
    controller.step(1);
    controller.step(1);
    controller.step(-1);
    expect(controller.frame?.version).toBe(3);
    perform({ do: "last" }, controller);
    controller.step(1);
    expect(controller.at).toBe(3);
    perform({ do: "first" }, controller);
    controller.step(-1);
    expect(controller.at).toBe(0);
    expect(remembered).toEqual(["0#3", "0#5", "0#3", "0#6", "0#6", "0#2", "0#2"]);
  });
});

describe("mistakes of a review", () => {
  it("are gone to one after the other, and then from the first", () => {
    const { controller } = stage(replayOf(versions));
    controller.setMistakes([3, 6]);
    for (const version of [3, 6, 3]) {
      perform({ do: "mistake" }, controller);
      expect(controller.frame?.version).toBe(version);
    }
  });

  it("that are not there leave everything as it was, and a sentence", () => {
    const { controller } = stage(replayOf(versions), {}, 5);
    controller.mistake();
    expect(controller.frame?.version).toBe(5);
    expect(controller.notice).toBe("This view shows no review with mistakes.");
  });
});

describe("playing", () => {
  it("steps at the chosen speed, stops at the end, and only then remembers the place", () => {
    const { controller, pass, waits, remembered } = stage(replayOf([2, 3, 4]));
    controller.setSpeed(4);
    controller.toggle();
    pass();
    pass();
    expect(controller).toMatchObject({ at: 2, playing: true });
    pass();
    expect(controller.playing).toBe(false);
    expect(waits).toEqual([STEP_MS / 4, STEP_MS / 4, STEP_MS / 4]);
    expect(remembered).toEqual(["0#4"]);
  });

  it("begins anew when it is started at the end", () => {
    const { controller } = stage(replayOf(versions), {}, 6);
    controller.toggle();
    expect(controller).toMatchObject({ at: 0, playing: true });
  });

  it("ends with the first step that a person takes", () => {
    const { controller, pass } = stage(replayOf(versions));
    controller.toggle();
    controller.step(1);
    pass();
    expect(controller).toMatchObject({ at: 1, playing: false });
  });

  it("changes its pace at once when the speed is changed", () => {
    const { controller, pass, waits } = stage(replayOf(versions));
    controller.toggle();
    controller.nextSpeed();
    pass();
    expect(waits).toEqual([STEP_MS, STEP_MS / 2, STEP_MS / 2]);
    expect(controller.at).toBe(1);
  });
});

describe("other eyes", () => {
  it("show the same moment", async () => {
    const other = replayOf([2, 3, 4, 5, 6], { viewpoint: "all" });
    const { controller } = stage(replayOf(versions), { "all 0": other }, 5);
    await controller.setViewpoint("all");
    expect(controller.replay.viewpoint).toBe("all");
    expect(controller.frame?.version).toBe(5);
  });

  it("that are not open are not asked for", async () => {
    const { controller, asked } = stage(replayOf(versions, { allowed_viewpoints: ["0", "public"] }));
    await controller.setViewpoint("1");
    await controller.setViewpoint("all");
    expect(asked).toEqual([]);
  });

  it("flip to the next player round the table", async () => {
    const { controller, asked } = stage(replayOf(versions, { viewpoint: "1" }), { "0 0": replayOf(versions) });
    await controller.flip();
    expect(asked).toEqual(["0 0"]);
    expect(controller.replay.viewpoint).toBe("0");
  });

  it("are those that were chosen last, whichever answer comes last", async () => {
    const { controller } = stage(replayOf(versions));
    const answers = new Map<string, (replay: Replay) => void>();
    controller.world.load = (viewpoint) => new Promise((resolve) => answers.set(viewpoint, resolve));
    const chosen = [controller.setViewpoint("1"), controller.setViewpoint("all")];
    for (const viewpoint of ["all", "1"]) answers.get(viewpoint)?.(replayOf(versions, { viewpoint }));
    await Promise.all(chosen);
    expect(controller.replay.viewpoint).toBe("all");
  });

  it("that cannot be fetched leave everything as it was, and a sentence", async () => {
    const { controller } = stage(replayOf(versions));
    await controller.setViewpoint("1");
    expect(controller.replay.viewpoint).toBe("0");
    expect(controller.notice).toContain("could not be loaded");
  });
});

describe("a game that goes on", () => {
  const live = () => replayOf([2, 3], { version: 3 });
  const news = { ...replayOf([4, 5], { version: 5 }), since: 3 };

  it("takes who stands at its end along, and asks for nothing", () => {
    const { controller, asked } = stage(live(), {}, 3);
    controller.extend(applyNews(controller.replay, news));
    expect(controller.replay.frames.map((frame) => frame.version)).toEqual([2, 3, 4, 5]);
    expect(controller.replay.scores).toHaveLength(4);
    expect(controller.frame?.version).toBe(5);
    expect(asked).toEqual([]);
  });

  it("lets what moves go on where an answer has nothing new", () => {
    const { controller } = stage(live(), {}, 3);
    let changes = 0;
    controller.changing = () => void changes++;
    controller.extend(applyNews(controller.replay, { ...news, version: 3, frames: [] }));
    expect(changes).toBe(0);
  });

  it("leaves who looks at something earlier where they are", () => {
    const { controller } = stage(live(), {}, 2);
    controller.extend(applyNews(controller.replay, news));
    expect(controller.frame?.version).toBe(2);
  });

  it("is fetched anew when it is over, for more may be open then", async () => {
    const over = replayOf([2, 3, 4], { allowed_viewpoints: ["all", "0"] });
    const { controller } = stage(replayOf([2, 3], { allowed_viewpoints: ["0"] }), { "0 0": over }, 2);
    await controller.reload();
    expect(controller.replay.allowed_viewpoints).toEqual(["all", "0"]);
    expect(controller.frame?.version).toBe(2);
  });

  it("is shown with all cards to a commentator when it is over", async () => {
    const over = { "commentator 0": replayOf([2, 3], { viewpoint: "all" }) };
    const { controller } = stage(replayOf([2, 3], { viewpoint: "commentator" }), over, 2);
    await controller.reload();
    expect(controller.replay.viewpoint).toBe("all");
  });

  it("knows the server's clock best from what came with the least delay", () => {
    const at = (ms: number): Replay => {
      const replay = live();
      const clock: Clocks = { kind: "live", deadline: null, at: new Date(Date.now() - ms).toISOString(), seats: [] };
      return { ...replay, game: { ...replay.game, clock } };
    };
    const { controller } = stage(at(300), {}, 3);
    controller.extend(at(40_000)); // a stream that begins brings what was stored with the last event
    expect(controller.skew).toBeGreaterThan(-1000);
    controller.extend(at(0));
    expect(controller.skew).toBeGreaterThan(-250);
  });
});

describe("a long game", () => {
  /** The game of `versions`. The page has only its first two steps. */
  const beginning = (): Replay => ({ ...replayOf([2, 3]), version: 450 });
  const pieces = { "0 3 203": replayOf([5, 203]), "0 203 403": replayOf([204]), "0 403 450": replayOf([450]) };

  it("is fetched piece by piece, and who looks stays where they are", async () => {
    const { controller, asked } = stage(beginning(), pieces, null, 3);
    controller.step(1);
    await complete(controller, null);
    expect(asked).toEqual(["0 3 203", "0 203 403", "0 403 450"]);
    expect(controller.replay.frames.map((frame) => frame.version)).toEqual([2, 3, 5, 203, 204, 450]);
    expect(controller.replay.scores).toHaveLength(6);
    expect(controller.at).toBe(1);
    expect(controller.page.told).toBeNull();
  });

  it("takes who came for a moment there, unless they have gone elsewhere", async () => {
    const stayed = stage(beginning(), pieces, 204, 3);
    expect(stayed.controller.frame?.version).toBe(3);
    await complete(stayed.controller, 204);
    expect(stayed.controller.frame?.version).toBe(204);
    const gone = stage(beginning(), pieces, 204, 3);
    const fetched = complete(gone.controller, 204);
    gone.controller.step(-1);
    await fetched;
    expect(gone.controller.frame?.version).toBe(2);
  });

  it("goes on with the piece that did not come", async () => {
    const answers: Record<string, Replay | Error> = { ...pieces, "0 203 403": new Error("away") };
    const { controller, asked } = stage(beginning(), answers, null, 3);
    await expect(complete(controller, null)).rejects.toThrow("away");
    missed(controller);
    expect(controller.notice).toMatch(/could not be loaded/);
    answers["0 203 403"] = pieces["0 203 403"];
    await complete(controller, null);
    expect(asked).toEqual(["0 3 203", "0 203 403", "0 203 403", "0 403 450"]);
    expect(controller.replay.frames).toHaveLength(6);
  });

  it("is whole through other eyes, and no piece of the first ones is put behind it", async () => {
    const whole: Replay = {
      ...replayOf([2, 3, 450]),
      viewpoint: "all",
      version: 450,
      allowed_viewpoints: ["all", "0"],
    };
    const first: Replay = { ...beginning(), allowed_viewpoints: ["all", "0"] };
    const { controller } = stage(first, { ...pieces, "all 0": whole }, null, 3);
    const fetched = complete(controller, null);
    await Promise.all([controller.setViewpoint("all"), fetched]);
    expect(controller.replay.frames.map((frame) => frame.version)).toEqual([2, 3, 450]);
  });
});
