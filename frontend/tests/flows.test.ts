/** What moved between two drawings, found by comparing what everybody sees. */

import { describe, expect, it } from "vitest";
import { type Drawn, type Flow, flowsOf, type Place, type Thing } from "../src/motion/flows";

/** Describe a table: what is drawn in each place, how many are there, and what is special about it. */
function table(places: Record<string, [things: string[], more?: Partial<Place>]>): Drawn {
  const things: Thing[] = [];
  const all = new Map<string, Place>();
  for (const [place, [names, more = {}]] of Object.entries(places)) {
    const seat = /^\d/.test(place) ? Number(place[0]) : null;
    all.set(place, { seat, count: names.length, ...more });
    for (const name of names) {
      const sort = /^\d$/.test(name) ? "die" : name.includes(" ") ? "piece" : "card";
      things.push({ sort, name: name === "back" ? "" : name, place });
    }
  }
  return { things, places: all };
}

const end = (each: Flow["to"]): string =>
  each === null ? "nowhere" : typeof each === "string" ? each : `${each.name || "back"} in ${each.place}`;
/** Tell what moved, without what only makes room. */
const told = (before: Drawn, after: Drawn, actor: number | null = null): string[] =>
  flowsOf(before, after, actor)
    .filter(({ how }) => how !== "slides")
    .map(({ how, from, to }) => `${how}: ${end(from)} -> ${end(to)}`);

describe("a card", () => {
  it("moves from where it was seen to where it is seen", () => {
    const before = table({ "0/hand": [["7S", "8H"]], pile: [["6S"]] });
    const after = table({ "0/hand": [["8H"]], pile: [["6S", "7S"]] });
    expect(told(before, after)).toEqual(["moves: 7S in 0/hand -> 7S in pile"]);
    expect(told(after, before)).toEqual(["moves: 7S in pile -> 7S in 0/hand"]);
  });

  it("that shows itself comes from the hand that became smaller", () => {
    const before = table({ "0/hand": [["back", "back"]], "1/hand": [["back", "back"]], pile: [["6S"]] });
    const after = table({ "0/hand": [["back", "back"]], "1/hand": [["back"]], pile: [["6S", "7S"]] });
    expect(told(before, after)).toEqual(["moves: back in 1/hand -> 7S in pile"]);
    expect(told(after, before)).toEqual(["moves: 7S in pile -> back in 1/hand"]);
  });

  it("that nobody sees goes from the deck to the hand that became larger", () => {
    const before = table({ deck: [["back"], { count: 20 }], "0/hand": [["back"]], "1/hand": [["back"]] });
    const after = table({ deck: [["back"], { count: 19 }], "0/hand": [["back"]], "1/hand": [["back", "back"]] });
    expect(told(before, after)).toEqual(["moves: deck -> back in 1/hand"]);
  });

  it("also goes there if the hand has more cards than are drawn", () => {
    const hand = (count: number): [string[], Partial<Place>] => [["back", "back"], { count }];
    const before = table({ deck: [["back"], { count: 20 }], "1/hand": hand(7) });
    const after = table({ deck: [["back"], { count: 18 }], "1/hand": hand(9) });
    expect(told(before, after)).toEqual(["moves: deck -> 1/hand", "moves: deck -> 1/hand"]);
  });

  it("that was turned up lies where it lay", () => {
    const before = table({ deck: [["back"], { count: 20 }] });
    const after = table({ deck: [["KD"], { count: 20 }] });
    expect(told(before, after)).toEqual(["turns: back in deck -> KD in deck"]);
  });

  it("does not move if it was covered or uncovered", () => {
    const before = table({ pile: [["6S"], { count: 3 }], "0/hand": [["back"]] });
    const after = table({ pile: [["9S"], { count: 4 }], "0/hand": [[]] });
    expect(told(before, after)).toEqual(["moves: back in 0/hand -> 9S in pile"]);
    expect(told(after, before)).toEqual(["moves: 9S in pile -> back in 0/hand"]);
  });

  it("that was taken goes to the taker, also if it is not drawn there", () => {
    const before = table({ "spot 1": [["5S"]], "0/hand": [["5D"]], "0/won": [["2C", "8C"], { count: 2 }] });
    const after = table({ "spot 1": [[]], "0/hand": [[]], "0/won": [["8C", "5D"], { count: 4 }] });
    expect(told(before, after)).toEqual(["moves: 5D in 0/hand -> 5D in 0/won", "moves: 5S in spot 1 -> 0/won"]);
  });

  it("of which nobody knows whence it came comes from the player whose event it was", () => {
    const before = table({ "0/": [[]], trick: [[]] });
    expect(told(before, table({ trick: [["QS"]] }), 2)).toEqual(["moves: seat 2 -> QS in trick"]);
    expect(told(before, table({ trick: [["QS"]] }))).toEqual(["comes: nowhere -> QS in trick"]);
  });

  it("of two hands that became smaller comes from that of the player whose event it was", () => {
    const before = table({ "0/hand": [["back"]], "1/hand": [["back"]], pile: [[]], away: [[], { count: 0 }] });
    const after = table({ "0/hand": [[]], "1/hand": [[]], pile: [["7S"]], away: [[], { count: 1 }] });
    expect(told(before, after, 1)[0]).toBe("moves: back in 1/hand -> 7S in pile");
    expect(told(before, after, 0)[0]).toBe("moves: back in 0/hand -> 7S in pile");
  });
});

describe("nothing that is hidden", () => {
  it("can be told from another: backs that change their order do not move", () => {
    const hand = table({ "0/hand": [["back", "back", "back"]] });
    expect(told(hand, table({ "0/hand": [["back", "back", "back"]] }))).toEqual([]);
  });

  it("has a name: what a hand gives is one of its backs, whichever it was", () => {
    const before = table({ "0/hand": [["back", "back", "back"]], pile: [[]] });
    const moved = flowsOf(before, table({ "0/hand": [["back", "back"]], pile: [["7S"]] }), 0).find(
      ({ how }) => how === "moves",
    );
    expect(moved?.from).toBe(before.things[2]); // the last one, which is where a row becomes shorter
  });
});

describe("dice", () => {
  it("tumble if they show something else, or were rolled and show the same", () => {
    const before = table({ "0/pool": [["1", "3", "5"]] });
    expect(told(before, table({ "0/pool": [["1", "3", "6"]] }))).toEqual(["tumbles: 5 in 0/pool -> 6 in 0/pool"]);
    const again = table({ "0/pool": [["1", "3", "5"], { rolled: "7:35" }] });
    expect(told(before, again)).toEqual(["tumbles: 3 in 0/pool -> 3 in 0/pool", "tumbles: 5 in 0/pool -> 5 in 0/pool"]);
    expect(told(again, again)).toEqual([]);
  });

  it("go from the pool to a plate, and never to another player", () => {
    const before = table({ "0/pool": [["1", "3"]], "0/on P1": [[]], "1/pool": [["4"]] });
    const after = table({ "0/pool": [["1"]], "0/on P1": [["3"]], "1/pool": [["3"]] });
    expect(told(before, after)).toEqual(["moves: 3 in 0/pool -> 3 in 0/on P1", "tumbles: 4 in 1/pool -> 3 in 1/pool"]);
  });

  it("that appear were rolled", () => {
    expect(told(table({ dice: [[]] }), table({ dice: [["2", "6"]] }), 1)).toEqual([
      "tumbles: nowhere -> 2 in dice",
      "tumbles: nowhere -> 6 in dice",
    ]);
  });
});

describe("a plate", () => {
  it("breaks where the broken ones are counted", () => {
    const before = table({ "0/plates": [["plate A", "plate B"]], broken: [[], { count: 3, breaks: true }] });
    const after = table({ "0/plates": [["plate A"]], broken: [[], { count: 4, breaks: true }] });
    expect(told(before, after)).toEqual(["breaks: plate B in 0/plates -> broken"]);
    expect(told(after, before)).toEqual(["moves: broken -> plate B in 0/plates"]);
  });

  it("that is drafted leaves the market, and the next one comes out of the supply", () => {
    const before = table({ market: [["plate A", "plate B"]], "0/plates": [[]], supply: [[], { count: 9 }] });
    const after = table({ market: [["plate B", "plate C"]], "0/plates": [["plate A"]], supply: [[], { count: 8 }] });
    expect(told(before, after, 0)).toEqual([
      "moves: plate A in market -> plate A in 0/plates",
      "moves: supply -> plate C in market",
    ]);
  });
});
