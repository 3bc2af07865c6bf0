/** The table by keyboard: arrow keys move between things, Enter chooses or plays, Esc undoes. */

import { type TableController } from "./controller.svelte";
import { theatre } from "../theatre.svelte";
import type { Shortcuts } from "../types";

const FIELDS = ["INPUT", "TEXTAREA", "SELECT"];

/** Return the next or previous index; the first follows the last. */
export function neighbour(place: number, by: number, places: number): number {
  if (place < 0) return by > 0 ? 0 : places - 1;
  return (place + by + places) % places;
}

/** Return the rank or number of a key in the names of things, or "". */
export function thingKey(key: string): string {
  if (key === "0") return "T";
  return /^[2-9]$/.test(key) || /^[atjqk1]$/i.test(key) ? key.toUpperCase() : "";
}

/** The table's element, and the reader's shortcuts. */
interface Where {
  root: HTMLElement | undefined;
  shortcuts: Shortcuts;
}

/** Do what a key asks for. Returns whether the table uses the key. */
export function keyed(event: KeyboardEvent, controller: TableController, { root, shortcuts }: Where): boolean {
  const on = event.target instanceof HTMLElement ? event.target : null;
  if (!root || event.ctrlKey || event.metaKey || event.altKey || controller.help) return false;
  if (on && FIELDS.includes(on.tagName)) return false;
  if (event.key === "Escape") return controller.back();
  if (event.key === "ArrowRight") return walk(root, 1);
  else if (event.key === "ArrowLeft") return walk(root, -1);
  else if (event.key === "Enter") return !on?.closest("button, a, summary") && play(controller);
  else if (!shortcuts.on || event.key.length !== 1) return false;
  else if (event.key.toLowerCase() === shortcuts.keys.help) controller.change({ help: true });
  else if (event.key.toLowerCase() === shortcuts.keys.theatre) theatre.toggle();
  else if (event.key.toLowerCase() === shortcuts.keys.roll) return roll(controller);
  else return thingKey(event.key) !== "" && touchKey(root, thingKey(event.key));
  return true;
}

function roll(controller: TableController): boolean {
  if (!controller.any) return false;
  controller.roll(!controller.chosen.length);
  return true;
}

function walk(root: HTMLElement, by: number): boolean {
  const open = [
    ...root.querySelectorAll<HTMLElement>(
      ".thing.offer, .thing.chosen, .planning .thing, .hand-card.on, .hand-card[aria-pressed=true], .moves .btn",
    ),
  ];
  if (!open.length) return false;
  const place = open.indexOf(document.activeElement as HTMLElement);
  open[neighbour(place, by, open.length)]?.focus();
  return true;
}

function play(controller: TableController): boolean {
  const [first] = controller.chosen.length ? controller.kept() : [];
  if (controller.staged) controller.confirm();
  else if (first) controller.choose(first);
  else return false;
  return true;
}

/** Things that are named by their place, which is no rank or number. */
const PLACES = ["seat", "unseen"];

/** Return whether a thing has that rank or number: `hand:7~1`, or with its suit `card:7S`. */
export function isOfKey(id: string, key: string): boolean {
  const [sort = "", name = ""] = (id.split("~")[0] ?? "").split(":");
  if (PLACES.includes(sort)) return false;
  return name === key || (name.length === 2 && name[0] === key && "SHDC".includes(name[1] ?? "-"));
}

/** Touch the first thing in the tray that matches the key and is not chosen yet. */
function touchKey(root: HTMLElement, key: string): boolean {
  const all = [...root.querySelectorAll<HTMLElement>(".hand-card[data-thing]")];
  const found = all.find((each) => isOfKey(each.dataset.thing ?? "", key) && each.ariaPressed !== "true");
  found?.click();
  return found !== undefined;
}
