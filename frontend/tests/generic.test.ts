import { describe, expect, it, vi } from "vitest";
import { board } from "../src/boards/generic/board";
import { touches } from "../src/boards/generic/touches";
import { folded, readZones, wordsOf } from "../src/boards/generic/zones";
import { boardOf } from "../src/boards/load";
import type { Turn } from "../src/types";
import { frame } from "./sample";
import { SEEN } from "./tricks";

const read = (seen: Record<string, unknown>, seats = 3): unknown[] =>
  readZones(seen, seats).map((zone) => [zone.title, zone.sort, zone.seat, wordsOf(zone)]);

describe("the table of a kind that says nothing of its board", () => {
  it("is read from the names and values of an observation", () => {
    expect(read(SEEN)).toEqual([
      ["Round", "words", null, "2"],
      ["Trick", "cards", 1, "2 of hearts"],
      ["Trick", "cards", 2, "king of hearts"],
      ["", "words", 1, "Leader"],
      ["Hearts broken", "words", null, "yes"],
      ["Hand", "hand", 0, "4 of hearts, queen of hearts and 7 of clubs"],
      ["Hand", "hand", 1, "2 cards face down"],
      ["Hand", "hand", 2, "2 cards face down"],
      ["Taken", "pile", 0, "2 cards and queen of spades on top"],
      ["Points", "words", 0, "13"],
      ["Points", "words", 1, "0"],
      ["Points", "words", 2, "1"],
    ]);
  });

  it("has dice, piles, hidden cards and words", () => {
    expect(
      read({ dice: [6, 1], deck: 12, card: "??", discard: ["7S", "8S"], note: "last round", colours: ["red"] }),
    ).toEqual([
      ["Dice", "dice", null, "6, 1"],
      ["Deck", "pile", null, "12 cards"],
      ["Card", "cards", null, "1 card face down"],
      ["Discard", "pile", null, "2 cards and 8 of spades on top"],
      ["Note", "words", null, "last round"],
      ["Colours", "words", null, "red"],
    ]);
  });

  it("gives each seat its own entry, by list or by number, and tells what only a seat sees where all are seen", () => {
    const players = [{ bid: 3 }, { bid: null }, { bid: 0 }];
    expect(read({ players, tricks: { 0: 2, 2: 1 }, played: ["7S", null, "8S"] })).toEqual([
      ["Bid", "words", 0, "3"],
      ["Bid", "words", 2, "0"],
      ["Tricks", "words", 0, "2"],
      ["Tricks", "words", 2, "1"],
      ["Played", "cards", 0, "7 of spades"],
      ["Played", "cards", 2, "8 of spades"],
    ]);
    const by_seat = [
      { deck: 5, secret: "AS" },
      { deck: 5, secret: "2C" },
    ];
    expect(read({ deck: 5, by_seat }, 2)).toEqual([
      ["Deck", "pile", null, "5 cards"],
      ["Secret", "cards", 0, "ace of spades"],
      ["Secret", "cards", 1, "2 of clubs"],
    ]);
  });

  it("gives each card of a whole trick to its player, and an entry with fields of words its own line", () => {
    const trick = [2, 0, 1].map((seat, place) => ({ seat, card: `${place + 2}C` }));
    const market = [
      { id: "P6", colour: "red", needs: [{ sort: "sum", total: 9 }] },
      { id: "P7", colour: "blue", needs: [] },
    ];
    const players = [1, 2, 0].map((seat) => ({ seat, bid: seat, tricks: 0 }));
    expect(
      read({
        trick,
        last: [
          [1, "2D"],
          [0, "3D"],
          [2, "4D"],
        ],
        market,
        players,
      }),
    ).toEqual([
      ["Trick", "cards", 2, "2 of clubs"],
      ["Trick", "cards", 0, "3 of clubs"],
      ["Trick", "cards", 1, "4 of clubs"],
      ["Last", "cards", 1, "2 of diamonds"],
      ["Last", "cards", 0, "3 of diamonds"],
      ["Last", "cards", 2, "4 of diamonds"],
      ["Market 1", "words", null, "Id P6, Colour red, Needs 1 Sort sum Total 9"],
      ["Market 2", "words", null, "Id P7, Colour blue"],
      ["Bid", "words", 1, "1"],
      ["Tricks", "words", 1, "0"],
      ["Bid", "words", 2, "2"],
      ["Tricks", "words", 2, "0"],
      ["Bid", "words", 0, "0"],
      ["Tricks", "words", 0, "0"],
    ]);
  });

  it("folds on a phone what there is no room for, but no single zone and none that is needed", () => {
    const zones = readZones({ a: 1, b: 2, c: 3, d: 4 }, 3);
    const titles = (most: number, needed = ""): string[][] =>
      folded(zones, most, ({ title }) => title === needed).map((part) => part.map(({ title }) => title));
    expect(titles(2)).toEqual([
      ["A", "B"],
      ["C", "D"],
    ]);
    expect(titles(1, "C")).toEqual([
      ["A", "C"],
      ["B", "D"],
    ]);
    expect(titles(3)).toEqual([["A", "B", "C", "D"], []]);
    expect(titles(2, "C")).toEqual([["A", "B", "C", "D"], []]);
  });

  it("lets cards be touched that moves name and the table shows", () => {
    const now = frame(1, {}, { observation: SEEN });
    expect(touches.zones(now, { seat: 0 } as Turn)[0]?.items.map(({ id }) => id)).toEqual([
      "card:4H~0",
      "card:QH~0",
      "card:7C~0",
    ]);
    const mixed = frame(4, {}, { observation: { ...SEEN, hand: ["7C", "QH", "4H", "7C"] } });
    const hand = touches.zones(mixed, { seat: 0 } as Turn)[0]?.items.map(({ card }) => card);
    expect(hand, "the hand is sorted").toEqual(["4H", "QH", "7C", "7C"]);
    expect(touches.things("play 4H", now)).toEqual(["card:4H"]);
    expect(touches.things("pass 4H,QH,9S", now)).toEqual(["card:4H", "card:QH"]);
    expect(touches.things("bid 3", now)).toEqual([]);
    const table = frame(3, {}, { observation: { ...SEEN, stock_count: 20, discards: ["9S"] } });
    expect(touches.things("draw", table)).toEqual(["pile:stock"]);
    expect(touches.things("draw", now)).toEqual([]);
    expect(touches.attempt?.("card:7C~0", [], [{ move: "play 4H", words: "" }])).toBe("play 7C");
  });

  it("is what the presentation says, where it says something", () => {
    const zones = [{ title: "Widow", sort: "pile" as const, items: ["4H"], seat: null, count: 3 }];
    const now = frame(1, {}, { observation: SEEN, zones });
    expect(touches.zones(now, { seat: 0 } as Turn)).toEqual([]);
    expect(touches.things("take 4H QH", now)).toEqual(["card:4H"]);
  });
});

describe("the board of a kind", () => {
  const module = "data:text/javascript,export const board = { oneOf: 'die:' }";

  it("is ours by the kind's name, whatever its package says", async () => {
    const ours = await boardOf("plate_spinner", module);
    expect(ours.things("grab", undefined)).toEqual(["meeple"]);
  });

  it("is the one of the kind's package, else the one that draws any kind", async () => {
    expect(await boardOf("hearts", module)).toEqual({ oneOf: "die:" });
    expect(await boardOf("hearts")).toBe(board);
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(await boardOf("hearts", "data:text/javascript,throw Error('no')")).toBe(board);
    expect(told).toHaveBeenCalledOnce();
  });
});
