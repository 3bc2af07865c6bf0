/** Where a tip stands: within the window, not over its thing, and over as few others as possible. */

import { describe, expect, it } from "vitest";
import { beside, type Box, type Other } from "../src/explain/place";

const WINDOW = { width: 1000, height: 800 };
const box = (x: number, y: number, width = 60, height = 60): Box => ({ x, y, width, height });
const overlap = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

describe("a tip", () => {
  const tip = { width: 300, height: 200 };
  const lies = (each: Box): Other => ({ box: each, acts: false });
  const acts = (each: Box): Other => ({ box: each, acts: true });
  const at = (thing: Box, others: Other[] = [], window = WINDOW): Box => ({
    ...beside(thing, tip, others, window),
    ...tip,
  });

  it("stands above the middle of a thing that lies alone", () => {
    expect(at(box(470, 400))).toMatchObject({ x: 350, y: 192 });
  });

  it("stands on another side rather than over what one compares", () => {
    const row = [box(470, 300), box(330, 300), box(610, 300)];
    const found = at(box(470, 400), row.map(lies));
    expect(row.filter((each) => overlap(found, each))).toEqual([]);
  });

  it("moves along its thing until it hides nothing", () => {
    const crowded = [box(500, 300), box(500, 500), box(380, 400), box(560, 400)];
    const found = at(box(470, 400), crowded.map(lies));
    expect(crowded.filter((each) => overlap(found, each))).toEqual([]);
  });

  it("hides many small things rather than a large one", () => {
    const small = [0, 1, 2, 3].map((each) => box(350 + 70 * each, 300, 20, 20));
    const large = [box(0, 0, 1000, 190), box(0, 480, 1000, 300), box(0, 396, 462, 60), box(538, 396, 462, 60)];
    expect(at(box(470, 400), [...small, ...large].map(lies)).y).toBe(192);
  });

  it("hides what cannot be used rather than what one can act on, however small that is", () => {
    const [above, below] = [box(8, 100, 300, 150), box(8, 460, 300, 60)];
    const found = at(box(120, 300, 60, 40), [lies(above), acts(below)], { width: 316, height: 640 });
    expect([overlap(found, above), overlap(found, below)]).toEqual([true, false]);
  });

  it("says whether it hides what one can act on, so that the pointer reaches that", () => {
    const everywhere = [acts(box(0, 0, 1000, 395)), acts(box(0, 465, 1000, 335))];
    expect(beside(box(470, 400), tip, everywhere, WINDOW).acts).toBe(true);
    expect(beside(box(470, 400), tip, [], WINDOW).acts).toBe(false);
  });

  it("stands between others, apart from its thing, if it would hide one beside it", () => {
    const phone = { width: 316, height: 800 };
    const others = [box(10, 100, 300, 80), box(10, 340, 300, 60), box(10, 640, 300, 100)];
    expect(at(box(120, 200), others.map(lies), phone).y).toBe(408);
  });

  it("stays within the window, also in its corners", () => {
    for (const thing of [box(0, 0), box(940, 0), box(0, 740), box(940, 740)]) {
      const { x, y } = at(thing);
      expect([x >= 8, y >= 8, x <= 692, y <= 592]).toEqual([true, true, true, true]);
    }
  });

  it("stands at the edge of the window if it would hide much beside its thing", () => {
    const phone = { width: 316, height: 800 };
    const others = [0, 1, 2, 3, 4].flatMap((row) => [box(10, 180 + 90 * row), box(230, 180 + 90 * row)]);
    expect(at(box(120, 400), others.map(lies), phone).y).toBe(592);
  });
});
