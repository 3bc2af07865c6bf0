/** The keys of the replay viewer, as chess sites use them: what a key means, from the facts of its event. */

import type { Controller } from "./controller.svelte";
import type { Viewpoint, Shortcuts } from "./types";

export type Action =
  | { do: "step"; by: number }
  | {
      do: "first" | "last" | "toggle" | "flip" | "help" | "speed" | "pace" | "copy" | "mistake" | "explain" | "theatre";
    }
  | { do: "moment"; by: 1 | -1 }
  | { do: "viewpoint"; viewpoint: Viewpoint };

export interface Press {
  key: string;
  modified: boolean;
  /**
   * The focused element's tag, with its type for an input: "input:range", or "text" if it is edited as text.
   * "body" if no element has the focus.
   */
  on: string;
}

/** Keys that are not characters. They always work. */
const FIXED: Record<string, Action> = {
  ArrowRight: { do: "step", by: 1 },
  ArrowLeft: { do: "step", by: -1 },
  Home: { do: "first" },
  End: { do: "last" },
  " ": { do: "toggle" },
};

/** What each shortcut does. The reader chooses its key. */
const CHOSEN: Record<string, Action> = {
  back: { do: "step", by: -1 },
  forward: { do: "step", by: 1 },
  previous_moment: { do: "moment", by: -1 },
  next_moment: { do: "moment", by: 1 },
  next_mistake: { do: "mistake" },
  play: { do: "toggle" },
  speed: { do: "speed" },
  pace: { do: "pace" },
  next_view: { do: "flip" },
  public_view: { do: "viewpoint", viewpoint: "public" },
  all_cards: { do: "viewpoint", viewpoint: "all" },
  copy_link: { do: "copy" },
  explain: { do: "explain" },
  theatre: { do: "theatre" },
  help: { do: "help" },
};

/** Keys that a focused element uses itself. Without a focused element, Space scrolls the page. */
const OWN: Record<string, string[]> = {
  "input:range": ["ArrowRight", "ArrowLeft", "Home", "End"],
  "input:radio": ["ArrowRight", "ArrowLeft", " "],
  "input:checkbox": [" "],
  body: [" "],
  html: [" "],
  button: [" "],
  summary: [" "],
};

/** Whether an element needs all keys: a text, a list of options, and each input that OWN does not name. */
const needsAll = (on: string): boolean =>
  ["text", "textarea", "select"].includes(on) || (on.startsWith("input:") && !(on in OWN));

/** Return the action of a key press, or null if the viewer does not use the key. */
export function actionFor(press: Press, shortcuts: Shortcuts): Action | null {
  if (press.modified) return null;
  if (needsAll(press.on)) return null;
  if (OWN[press.on]?.includes(press.key)) return null;
  if (press.key in FIXED) return FIXED[press.key] ?? null;
  if (!shortcuts.on) return null;
  const key = press.key.toLowerCase();
  const [name] = Object.keys(CHOSEN).filter((each) => shortcuts.keys[each] === key);
  if (name) return CHOSEN[name] ?? null;
  return /^[1-8]$/.test(key) ? { do: "viewpoint", viewpoint: String(Number(key) - 1) } : null;
}

/**
 * Return the facts of a browser event for `actionFor`. The element may be inside a shadow root, as in the lab's editor:
 * only the path knows it. An event that is looked at later has no path any more.
 */
export function pressOf(event: KeyboardEvent): Press {
  const [target = event.target] = event.composedPath();
  return {
    key: event.key,
    modified: event.ctrlKey || event.metaKey || event.altKey,
    on: target instanceof HTMLElement ? nameOf(target) : "",
  };
}

function nameOf(element: HTMLElement): string {
  if (element.isContentEditable) return "text";
  const tag = element.tagName.toLowerCase();
  return tag === "input" ? `input:${(element as HTMLInputElement).type}` : tag;
}

/** Do what a key asks the viewer for. While the list of keys is open, they do nothing but close it. */
export function press(event: KeyboardEvent, controller: Controller): void {
  const action = actionFor(pressOf(event), controller.page.shortcuts);
  if (!action || (controller.help && action.do !== "help")) return;
  event.preventDefault();
  perform(action, controller);
}

export function perform(action: Action, controller: Controller): void {
  if (action.do === "step") controller.step(action.by);
  else if (action.do === "first") controller.go(0);
  else if (action.do === "last") controller.go(controller.last);
  else if (action.do === "toggle") controller.toggle();
  else if (action.do === "flip") void controller.flip();
  else if (action.do === "viewpoint") void controller.setViewpoint(action.viewpoint);
  else if (action.do === "moment") controller.moment(action.by);
  else if (action.do === "speed") controller.nextSpeed();
  else if (action.do === "pace") controller.nextPace();
  else if (action.do === "mistake") controller.mistake();
  else if (action.do === "copy") void controller.copyLink();
  else if (action.do === "theatre") void import("./theatre.svelte").then(({ theatre }) => theatre.toggle());
  else controller.setHelp(action.do === "help" && !controller.help);
}
