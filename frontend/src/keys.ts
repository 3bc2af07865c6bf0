/** Keys and what they do, as chess players know them. Pure: an event's facts in, an action out. */

import { _ } from "./gettext";
import type { Eyes } from "./types";

export type Action =
  | { do: "step"; by: number }
  | { do: "first" | "last" | "toggle" | "flip" | "help" | "close" | "speed" | "pace" | "copy" }
  | { do: "moment"; by: 1 | -1 }
  | { do: "eyes"; eyes: Eyes };

export interface Press {
  key: string;
  modified: boolean;
  /** The tag of the element that has the focus, and its type where it is an input. */
  on: string;
}

const ACTIONS: Record<string, Action> = {
  ArrowRight: { do: "step", by: 1 },
  ArrowLeft: { do: "step", by: -1 },
  j: { do: "step", by: 1 },
  k: { do: "step", by: -1 },
  Home: { do: "first" },
  End: { do: "last" },
  " ": { do: "toggle" },
  f: { do: "flip" },
  "?": { do: "help" },
  Escape: { do: "close" },
  a: { do: "eyes", eyes: "all" },
  o: { do: "eyes", eyes: "all" },
  n: { do: "moment", by: 1 },
  b: { do: "moment", by: -1 },
  s: { do: "speed" },
  r: { do: "pace" },
  l: { do: "copy" },
};

/** Keys that an element with the focus needs for itself. */
const OWN: Record<string, string[]> = {
  "input:range": ["ArrowRight", "ArrowLeft", "Home", "End"],
  button: [" "],
  a: [],
  summary: [" "],
};

/** The action that a key press asks for, or null when it is not ours. */
export function actionFor(press: Press): Action | null {
  if (press.modified) return null;
  if (press.on === "input:text" || press.on === "textarea" || press.on === "select") return null;
  if (OWN[press.on]?.includes(press.key)) return null;
  if (/^[0-8]$/.test(press.key)) {
    return { do: "eyes", eyes: press.key === "0" ? "public" : String(Number(press.key) - 1) };
  }
  return ACTIONS[press.key] ?? null;
}

/** The facts of a browser's event that `actionFor` needs. */
export function pressOf(event: KeyboardEvent): Press {
  const target = event.target instanceof Element ? event.target : null;
  const tag = target?.tagName.toLowerCase() ?? "";
  const on = tag === "input" ? `input:${(target as HTMLInputElement).type}` : tag;
  return { key: event.key, modified: event.ctrlKey || event.metaKey || event.altKey, on };
}

/** What the help lists. */
export const HELP: [string[], string][] = [
  [["←", "→"], _("one step back, one on")],
  [["k", "j"], _("the same")],
  [[_("Home"), _("End")], _("to the start, to the end")],
  [["b", "n"], _("the moment with a sign before, the next one")],
  [[_("Space")], _("play and pause")],
  [["s"], _("the next speed")],
  [["r"], _("even steps, slow at moments, real time")],
  [["f"], _("the next player’s eyes")],
  [["1", "8"], _("the eyes of seat 1 to 8")],
  [["0"], _("what the public saw")],
  [["o", "a"], _("all cards, open")],
  [["l"], _("copy the link to this moment")],
  [["?"], _("this list")],
];
