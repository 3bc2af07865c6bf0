/** The table by keyboard: arrows go among what can be touched, Enter chooses or plays, Esc takes back. */

import { type TableController, type TableState, anyOf } from "./controller";
import { _ } from "../gettext";

export const HELP: [string[], string][] = [
  [["←", "→"], _("to the next thing that can be touched")],
  [["A", "2", "K"], _("touch a card of that rank, a die that shows it; T or 0 for a ten")],
  [[_("Enter")], _("touch it, or play the move that is chosen")],
  [[_("Space")], _("roll the dice that are not chosen")],
  [[_("Esc")], _("take back")],
  [["?"], _("this list")],
];

const FIELDS = ["INPUT", "TEXTAREA", "SELECT"];

/** The next or the previous of `places`, round the corner. */
export function neighbour(place: number, by: number, places: number): number {
  if (place < 0) return by > 0 ? 0 : places - 1;
  return (place + by + places) % places;
}

/** The rank or number that a key stands for among things; "" for none. */
export function thingKey(key: string): string {
  if (key === "0") return "T";
  return /^[2-9]$/.test(key) || /^[atjqk1]$/i.test(key) ? key.toUpperCase() : "";
}

/** Do what a key asks for; whether it was one of ours. */
export function keyed(event: KeyboardEvent, state: TableState, controller: TableController, root: HTMLElement | undefined): boolean {
  const on = event.target instanceof HTMLElement ? event.target : null;
  if (!root || event.ctrlKey || event.metaKey || event.altKey || state.help || (on && FIELDS.includes(on.tagName))) return false;
  const button = on?.closest("button, a, summary") ?? null;
  if (event.key === "?") controller.change({ help: true });
  else if (event.key === "Escape") controller.back();
  else if (event.key === "ArrowRight" || event.key === "ArrowLeft") return walk(root, event.key === "ArrowRight" ? 1 : -1);
  else if (event.key === "Enter" && !button) return play(state, controller);
  else if (event.key === " " && !button && anyOf(state)) controller.roll(!state.chosen.length);
  else return thingKey(event.key) !== "" && touchKey(root, thingKey(event.key));
  return true;
}

function walk(root: HTMLElement, by: number): boolean {
  const open = [...root.querySelectorAll<HTMLElement>(".thing.offer, .thing.chosen, .hc.on, .hc[aria-pressed=true], .moves .btn")];
  if (!open.length) return false;
  const place = open.indexOf(document.activeElement as HTMLElement);
  open[neighbour(place, by, open.length)]?.focus();
  return true;
}

function play(state: TableState, controller: TableController): boolean {
  const [first] = state.chosen.length ? controller.kept() : [];
  if (state.staged) controller.confirm();
  else if (first) controller.choose(first);
  else return false;
  return true;
}

/** Touch the first thing in the tray with that name that is not chosen yet. */
function touchKey(root: HTMLElement, key: string): boolean {
  const all = [...root.querySelectorAll<HTMLElement>(".hc[data-thing]")];
  const found = all.find((each) => each.dataset.thing?.split("~")[0]?.endsWith(`:${key}`) && each.ariaPressed !== "true");
  found?.click();
  return found !== undefined;
}
