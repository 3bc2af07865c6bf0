/** Where a tip stands: within the window, not over its thing, and over as few others as possible. */

import { describe, expect, it } from "vitest";
import { beside, type Box } from "../src/explain/place";

const WINDOW = { width: 1000, height: 800 };
const box = (x: number, y: number, width = 60, height = 60): Box => ({ x, y, width, height });
const overlap = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

describe("a tip", () => {
  const tip = { width: 300, height: 200 };
  const at = (thing: Box, others: Box[] = [], window = WINDOW, apart = false): Box => ({
    ...beside(thing, tip, others, window, apart),
    ...tip,
  });

  it("stands above the middle of a thing that lies alone", () => {
    expect(at(box(470, 400))).toMatchObject({ x: 350, y: 192 });
  });

  it("stands on another side rather than over what one compares", () => {
    const row = [box(470, 300), box(330, 300), box(610, 300)];
    const found = at(box(470, 400), row);
    expect(row.filter((each) => overlap(found, each))).toEqual([]);
  });

  it("moves along its thing until it hides nothing", () => {
    const crowded = [box(500, 300), box(500, 500), box(380, 400), box(560, 400)];
    const found = at(box(470, 400), crowded);
    expect(crowded.filter((each) => overlap(found, each))).toEqual([]);
  });

  it("hides many small things rather than a large one", () => {
    const small = [0, 1, 2, 3].map((each) => box(350 + 70 * each, 300, 20, 20));
    const found = at(box(470, 400), [
      ...small,
      box(300, 480, 400, 300),
      box(100, 250, 360, 400),
      box(540, 250, 400, 400),
    ]);
    expect(found.y).toBe(192);
  });

  it("stands between others if it was touched and would hide one beside its thing", () => {
    const phone = { width: 316, height: 800 };
    const others = [box(10, 100, 300, 80), box(10, 340, 300, 60), box(10, 640, 300, 100)];
    expect(at(box(120, 200), others, phone, true).y).toBe(408);
  });

  it("stays within the window, also in its corners", () => {
    for (const thing of [box(0, 0), box(940, 0), box(0, 740), box(940, 740)]) {
      const { x, y } = at(thing);
      expect([x >= 8, y >= 8, x <= 692, y <= 592]).toEqual([true, true, true, true]);
    }
  });

  it("stands at the edge of a phone if it was touched and would hide much beside its thing", () => {
    const phone = { width: 316, height: 800 };
    const thing = box(120, 400);
    const others = [0, 1, 2, 3, 4].flatMap((row) => [box(10, 180 + 90 * row), box(230, 180 + 90 * row)]);
    expect(at(thing, others, phone, true).y).toBe(592);
    expect([192, 468]).toContain(at(thing, others, phone).y);
  });
});
