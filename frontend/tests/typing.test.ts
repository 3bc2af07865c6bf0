/** What the editor offers where somebody types, the drawing of a test's path, and the line of an error. */

import { expect, test } from "vitest";
import { HEIGHT, heightOf, LIMIT, lineOf as pathOf, WIDTH } from "../src/lab/chart";
import { fitting } from "../src/lab/completion";
import { lineOf } from "../src/lab/sentences";
import type { Word } from "../src/lab/types";

const word = (after: string, name: string): Word => ({ after, word: name, detail: "", info: "" });
const WORDS = [word("view.", "seat"), word("view[", "hand"), word("def ", "move"), word("", "kinds")];

test.each([
  ["        if view.se", "seat", ""],
  ['        cards = view["ha', "hand", '"]'],
  ["        cards = view.observation['", "hand", "']"],
  ['        cards = view.get("', "hand", '")'],
  ["    def mo", "move", ""],
  ["    kin", "kinds", ""],
])("after %j it offers %s", (before, name, close) => {
  const found = fitting(WORDS, before, false);
  expect(found?.words.map((each) => each.word)).toEqual([name]);
  expect(found?.close).toBe(close);
  expect(before.slice(0, found?.from)).not.toMatch(/\w{2}$(?<=se|ha|mo|kin)/);
});

test.each(["x = preview.se", "    value = 12", "        return legal[0]"])("after %j it offers nothing", (before) => {
  expect(fitting(WORDS, before, false)).toBeNull();
});

test("evidence is drawn by its logarithm: 1 in the middle, the limit near the top", () => {
  expect(heightOf(LIMIT)).toBeLessThan(heightOf(1));
  expect(heightOf(1)).toBeLessThan(heightOf(0.1));
  expect(heightOf(1e9)).toBe(0);
  expect(heightOf(1e-9)).toBe(HEIGHT);
});

test("a path begins at an evidence of 1 and takes the whole width", () => {
  const points = pathOf([{ better: 2, worse: 0.5 }], "better");
  expect(points).toBe(`0,${heightOf(1)} ${WIDTH},${heightOf(2)}`);
});

test("the line of an error is the last one of the bot's own file", () => {
  const output =
    '  File "bot.py", line 4, in move\n  File "bot.py", line 9, in cost\n  File "/lib/random.py", line 1\n';
  expect(lineOf(output)).toBe(9);
  expect(lineOf("nothing to see")).toBeNull();
});
