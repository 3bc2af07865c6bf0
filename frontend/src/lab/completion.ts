/** Which words fit where somebody types. The words come from the library (scorebook_games.lab.words). Pure. */

import type { Word } from "./types";

/** The words that fit, where the typed part begins, and what closes a chosen word. */
export interface Fitting {
  from: number;
  words: Word[];
  close: string;
}

/** What stands before a word, as a pattern, and the `after` of the words that fit there. */
const PLACES: [RegExp, string][] = [
  [/\bview\.(\w*)$/, "view."],
  [/\bscorebook_bot\.(\w*)$/, "scorebook_bot."],
  [/\bview(?:\.observation)?\[["'](\w*)$/, "view["],
  [/\bview\.get\(["'](\w*)$/, "view["],
  [/^\s*def (\w*)$/, "def "],
];

/** Return the words that fit after `before`, the text of the line up to the cursor; null for none. */
export function fitting(words: readonly Word[], before: string, asked: boolean): Fitting | null {
  for (const [pattern, after] of PLACES) {
    const typed = pattern.exec(before)?.[1];
    if (typed === undefined) continue;
    const quote = after === "view[" ? (/["'](?=\w*$)/.exec(before)?.[0] ?? "") : "";
    const close = quote && quote + (before.includes("get(") && !/\[["']\w*$/.test(before) ? ")" : "]");
    return { from: before.length - typed.length, words: words.filter((word) => word.after === after), close };
  }
  const typed = /(?:^|\s)(\w+)$/.exec(before)?.[1] ?? "";
  if (!typed && !asked) return null;
  const found = words.filter((word) => word.after === "" && word.word.startsWith(typed));
  return found.length ? { from: before.length - typed.length, words: found, close: "" } : null;
}
