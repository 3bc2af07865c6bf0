import { describe, expect, it } from "vitest";
import { kept, type Named, offered, settled, touched } from "../src/table/narrow";
import { frame, replayOf } from "./sample";
import { touchesOf } from "./touches";

/** Return legal moves of a kind with the things that they mention. */
function moves(kind: string, ...texts: string[]): Named[] {
  return texts.map((move) => ({ move, words: move, things: touchesOf(kind).things(move, undefined) }));
}

const texts = (list: Named[]): string[] => list.map(({ move }) => move);

describe("touching a thing keeps the moves that mention it", () => {
  const ten = moves("chinese_ten", "capture 3 1", "capture 6 2", "capture 3 3");

  it("narrows by a card, and offers the spots that are left", () => {
    expect(texts(kept(ten, ["hand:3~0"]))).toEqual(["capture 3 1", "capture 3 3"]);
    expect([...offered(ten, ["hand:3~0"])]).toEqual(["spot:1", "spot:3"]);
    expect(settled(ten, ["hand:3~0"])).toBeNull();
  });

  it("settles when one move is left, in either order", () => {
    expect(settled(ten, ["hand:3~0", "spot:3"])?.move).toBe("capture 3 3");
    expect(settled(ten, ["spot:3"])?.move).toBe("capture 3 3");
    expect(settled(ten, ["hand:6~1"])?.move).toBe("capture 6 2");
  });

  it("touches twice to take back, and another thing to start over", () => {
    expect(touched(ten, ["hand:3~0"], "hand:3~0")).toEqual([]);
    expect(touched(ten, ["hand:3~0"], "hand:6~0")).toEqual(["hand:6~0"]);
    expect(touched(ten, [], "hand:K~0")).toBeNull();
  });

  it("settles nothing before anything is touched", () => {
    expect(settled(moves("chinese_ten", "lay K"), [])).toBeNull();
  });
});

describe("equal cards", () => {
  const palace = moves("palace", "play 8", "play 88", "play J", "take", "chance", "turn 0");

  it("are chosen one by one: both eights leave one move", () => {
    expect(texts(kept(palace, ["hand:8~0"]))).toEqual(["play 8", "play 88"]);
    expect(touched(palace, ["hand:8~0"], "hand:8~1")).toEqual(["hand:8~0", "hand:8~1"]);
    expect(settled(palace, ["hand:8~0", "hand:8~1"])?.move).toBe("play 88");
    expect(touched(palace, ["hand:8~0", "hand:8~1"], "hand:8~2")).toEqual(["hand:8~2"]);
  });

  it("may lie in two hands", () => {
    const plates = moves(
      "plates",
      "place 9",
      "place /9",
      "place 99/9",
      "place 99/9!",
      "blind 2",
      "add 33!",
      "add",
      "take",
    );
    expect(plates.map(({ things }) => things)).toEqual([
      ["hand:9"],
      ["revealed:9"],
      ["hand:9", "hand:9", "revealed:9"],
      ["hand:9", "hand:9", "revealed:9"],
      ["unseen:2"],
      ["hand:3", "hand:3"],
      [],
      ["dish"],
    ]);
    expect(texts(kept(plates, ["revealed:9~0", "hand:9~1"]))).toEqual(["place 99/9", "place 99/9!"]);
  });
});

describe("things of which any one will do", () => {
  const spinner = moves("plate_spinner", "assign 5 P17 0", "assign 5 A1 0", "assign 2 P17 0.1", "grab");
  const { oneOf } = touchesOf("plate_spinner");

  it("are no choice by themselves, but settle with a plate", () => {
    expect(settled(spinner, ["die:2~0"], oneOf)).toBeNull();
    expect(settled(spinner, ["die:2~0", "plate:P17"], oneOf)?.move).toBe("assign 2 P17 0.1");
    expect(texts(kept(spinner, ["die:2~0", "die:5~0"], oneOf))).toHaveLength(3);
    expect(texts(kept(spinner, ["die:2~0", "die:5~0", "plate:A1"], oneOf))).toEqual(["assign 5 A1 0"]);
  });

  it("settle with the first of several moves only if all come to the same", () => {
    const both = moves("plate_spinner", "assign 5 P22 0.0", "assign 5 P22 1.0");
    const chosen = ["die:5~0", "plate:P22"];
    expect(settled(both, chosen, oneOf)).toBeNull();
    expect(settled(both, chosen, oneOf, () => true)?.move).toBe("assign 5 P22 0.0");
    expect(settled(both, chosen, oneOf, ({ move }) => move.endsWith("1.0"))).toBeNull();
  });

  it("come to the same on a plate and its rim that want the same", () => {
    const needs = (...slots: string[]) => ({ needs: [{ kind: "slots", slots }] });
    const replay = replayOf([2], { items: { P22: needs("5+", "1"), R3: needs("5+") } });
    const seen = frame(2, {}, { observation: { players: [{ plates: [{ id: "P22", rim: "R3" }] }] } });
    const same = (one: string, other: string) => touchesOf("plate_spinner").same?.(one, other, seen, replay);
    expect(same("assign 5 P22 0.0", "assign 5 P22 1.0")).toBe(true);
    expect(same("assign 5 P22 0.0", "assign 5 P22 0.1")).toBe(false);
    expect(same("assign 5 P22 0.0", "assign 6 P22 1.0")).toBe(false);
    expect(same("draft P22", "draft P22")).toBe(false);
  });
});

it("a fish is asked for by whom and which, in either order", () => {
  const fish = moves(
    "platinum_fish",
    "ask 1 7",
    "ask 2 7",
    "ask 2 8",
    "decline",
    "draw deck",
    "draw discard",
    "fish Q",
    "salvage 4",
  );
  expect(settled(fish, ["rank:7~row", "seat:2"])?.move).toBe("ask 2 7");
  expect(settled(fish, ["seat:1"])?.move).toBe("ask 1 7");
  expect(fish.slice(3).map(({ things }) => things)).toEqual([[], ["deck"], ["discard"], ["rank:Q"], ["rank:4"]]);
});

it("every other verb names its things", () => {
  const named = (kind: string, move: string): string[] => touchesOf(kind).things(move, undefined);
  expect(named("palace", "palace 9QK")).toEqual(["hand:9", "hand:Q", "hand:K"]);
  expect(named("palace", "throw 8 last")).toEqual(["hand:8"]);
  expect([
    named("palace", "play drawn"),
    named("palace", "keep"),
    named("palace", "call 2"),
    named("palace", "pass"),
  ]).toEqual([["drawn"], ["pile"], [], []]);
  expect([named("chinese_ten", "flip 1"), named("chinese_ten", "cover 3")]).toEqual([["spot:1"], ["spot:3"]]);
  expect([
    named("plate_spinner", "draft STAR"),
    named("plate_spinner", "attach R4 P17"),
    named("plate_spinner", "colour blue"),
  ]).toEqual([["plate:STAR"], ["plate:R4", "plate:P17"], []]);
});
