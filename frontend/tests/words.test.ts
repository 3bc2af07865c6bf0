import { describe, expect, it } from "vitest";
import { cardName, cardNames, FACES, isRed } from "../src/cards";
import { pipsOf, RANK_PATHS } from "../src/cards/faces";
import { spoken } from "../src/words";
import { elapsed, placeText } from "../src/views/words";
import { frame, replayOf } from "./sample";

describe("words", () => {
  it("name players and cards as a person would say them", () => {
    const { game } = replayOf([2]);
    expect(spoken([{ seat: 1 }, " took ", { card: "TH" }, "."], game.seats)).toBe("Laura took ten of hearts.");
    expect(cardNames(["AS", "**"])).toBe("ace of spades, joker");
    expect(cardName("7D")).toBe("7 of diamonds");
  });

  it("say the place in the game with its scores", () => {
    expect(placeText(replayOf([2, 3]), 1)).toBe("Step 3 of 3: Martha laid 7 of spades. Points: Martha 30, Laura 5");
  });

  it("tell times in the units that fit", () => {
    expect([400, 61_000, 3_700_000, 200_000_000].map((ms) => elapsed(frame(2, {}, { ms })))).toEqual([
      "0.4 s",
      "1 min 1 s",
      "1 h 1 min",
      "2 d 7 h",
    ]);
  });
});

describe("faces", () => {
  it("are fifty-two, half of them red, each with a drawn rank", () => {
    expect(new Set(FACES).size).toBe(52);
    expect(FACES.filter(isRed)).toHaveLength(26);
    expect(FACES.every((face) => RANK_PATHS[face[0] ?? ""])).toBe(true);
  });

  it("have as many pips as their rank, those of the lower half upside down", () => {
    for (const [rank, count] of Object.entries({
      "2": 2,
      "3": 3,
      "4": 4,
      "5": 5,
      "6": 6,
      "7": 7,
      "8": 8,
      "9": 9,
      T: 10,
      A: 0,
      K: 0,
    })) {
      expect(pipsOf(rank), rank).toHaveLength(count);
    }
    expect(pipsOf("9").every((pip) => pip.turned === pip.y > 63)).toBe(true);
  });
});
