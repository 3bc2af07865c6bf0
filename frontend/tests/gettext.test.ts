import { afterEach, describe, expect, it } from "vitest";
import { cardName } from "../src/cards";
import { _, listed, ngettext, speak } from "../src/gettext";
import { span } from "../src/words";

/** Polish: one, few (2–4, 22–24 …), many. */
const few = (count: number): boolean => count % 10 >= 2 && count % 10 <= 4 && (count % 100 < 12 || count % 100 > 14);
const POLISH = {
  words: {
    "Your turn": "Twój ruch",
    "Waiting for {names}": "Czekamy na: {names}",
    "{count} card": ["{count} karta", "{count} karty", "{count} kart"],
    "{some} and {last}": "{some} i {last}",
  },
  plurals: Array.from({ length: 200 }, (_each, count) => (count === 1 ? 0 : few(count) ? 1 : 2)),
};

describe("words in the reader’s language", () => {
  afterEach(() => speak());

  it("are English without a catalogue", () => {
    expect(_("Waiting for {names}", { names: "Laura" })).toBe("Waiting for Laura");
    expect([0, 1, 2].map((count) => ngettext("{count} card", "{count} cards", count))).toEqual([
      "0 cards",
      "1 card",
      "2 cards",
    ]);
    expect(cardName("QH")).toBe("queen of hearts");
    expect(span(3_725_000)).toBe("1 h 2 min");
  });

  it("come from the catalogue, with their values, in the form for their count", () => {
    speak(POLISH);
    expect(_("Your turn")).toBe("Twój ruch");
    expect(_("Waiting for {names}", { names: listed(["Ala", "Ola", "Ela"]) })).toBe("Czekamy na: Ala, Ola i Ela");
    const cards = [1, 3, 5, 12, 22, 103, 112, 1003, 1012].map((count) =>
      ngettext("{count} card", "{count} cards", count),
    );
    expect(cards).toEqual([
      "1 karta",
      "3 karty",
      "5 kart",
      "12 kart",
      "22 karty",
      "103 karty",
      "112 kart",
      "1003 karty",
      "1012 kart",
    ]);
  });

  it("stay English where something is not translated yet, and keep what is no value", () => {
    speak(POLISH);
    expect(_("Put back")).toBe("Put back");
    expect(ngettext("{count} match", "{count} matches", 2)).toBe("2 matches");
    expect(_("{this} is no value", { that: 1 })).toBe("{this} is no value");
  });
});
