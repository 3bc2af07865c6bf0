import { afterEach, describe, expect, it, vi } from "vitest";
import { cardName } from "../src/cards";
import { _, listed, ngettext } from "../src/gettext";
import { span } from "../src/words";

/** Give the page Django's catalogue with these words. */
function speak(words: Record<string, string | string[]>): void {
  const form = (text: string, at: number): string | undefined => [words[text] ?? []].flat()[at];
  vi.stubGlobal("django", {
    gettext: (text: string) => form(text, 0) ?? text,
    ngettext: (one: string, many: string, count: number) =>
      form(one, count === 1 ? 0 : count < 5 ? 1 : 2) ?? (count === 1 ? one : many),
  });
}

const POLISH = {
  "Your turn": "Twój ruch",
  "Waiting for {names}": "Czekamy na: {names}",
  "{count} card": ["{count} karta", "{count} karty", "{count} kart"],
  "{some} and {last}": "{some} i {last}",
};

describe("words in the reader’s language", () => {
  afterEach(() => vi.unstubAllGlobals());

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
    const cards = [1, 3, 5].map((count) => ngettext("{count} card", "{count} cards", count));
    expect(cards).toEqual(["1 karta", "3 karty", "5 kart"]);
  });

  it("stay English where something is not translated yet, and keep what is no value", () => {
    speak(POLISH);
    expect(_("Undo")).toBe("Undo");
    expect(ngettext("{count} match", "{count} matches", 2)).toBe("2 matches");
    expect(_("{this} is no value", { that: 1 })).toBe("{this} is no value");
  });
});
