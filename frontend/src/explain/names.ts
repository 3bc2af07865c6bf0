/** Which things of a table can explain themselves, and under which keys their explanations are. Reads the DOM. */

import { cardName } from "../cards";
import { _ } from "../gettext";
import type { Board, Scene } from "../boards/contract";
import { nameOf } from "../table/narrow";

/** A sentence about a thing, with the clause of the rules that says so. */
export interface Line {
  words: string;
  clause: string;
}

/** The explanations of a kind, by their keys. */
export type Explanations = Record<string, { name: string; lines: Line[] }>;

export const THINGS = "[data-explains], [data-thing], [data-piece], [data-card], [data-die], [data-place], [data-seat]";

/** A button of one card or die is named by it. */
const DRAWN = "[data-card], [data-die]";

/** What a tip says: what the thing is, where it lies, what the rules say about it, and what it can do now. */
export interface Told {
  title: string;
  where: string[];
  lines: Line[];
  moves: string[];
}

/** Return the names of an element, the most precise first: `spot:2`, `card:7S`, `place:hand`. */
function namesOf({ dataset }: HTMLElement): string[] {
  const { explains, thing, piece, card, die, place, seat } = dataset;
  return [
    ...(explains?.split(" ").map(nameOf) ?? []),
    ...(thing === undefined ? [] : [nameOf(thing)]),
    ...(piece === undefined ? [] : [piece.replace(" ", ":")]),
    ...(card === undefined ? [] : [card === "back" ? card : `card:${card}`]),
    ...(die === undefined ? [] : [`die:${die}`]),
    ...(place === undefined ? [] : [`place:${place}`]),
    ...(seat === undefined ? [] : ["seat"]),
  ];
}

/** Return the keys of a name: those of its board, the name itself, and its sort. A card is named by its rank, too. */
function keysOf(name: string, board: Board, { frame, replay }: Scene): string[] {
  const sort = name.startsWith("card:") ? name.slice(0, -1) : (name.split(":")[0] ?? "");
  return [...(board.explains?.(name, frame, replay) ?? []), name, sort];
}

/**
 * Return a thing and what it lies in, from the inside. A seat counts only if nothing in it was meant. A card over the
 * table, such as the result, says everything itself.
 */
export function chainOf(element: Element | null, root: Element): HTMLElement[] {
  const chain: HTMLElement[] = [];
  if (element?.closest("[role=dialog]")) return chain;
  let each = element?.closest<HTMLElement>(THINGS) ?? null;
  const drawn = each?.matches("[data-thing]") ? each.querySelectorAll<HTMLElement>(DRAWN) : [];
  if (drawn.length === 1) each = drawn[0] ?? each;
  for (; each && root.contains(each); each = each.parentElement?.closest<HTMLElement>(THINGS) ?? null)
    if (!chain.length || each.dataset.seat === undefined) chain.push(each);
  return chain;
}

/** Return the element that the tip of a chain points at: what can be touched, or the innermost thing. */
export function anchorOf(chain: readonly HTMLElement[]): HTMLElement | undefined {
  return chain.find(({ dataset }) => dataset.thing !== undefined) ?? chain[0];
}

function labelOf(element: HTMLElement): string {
  const { card, die } = element.dataset;
  if (die !== undefined) return _("die that shows {die}", { die });
  if (card !== undefined) return card === "back" ? "" : cardName(card);
  return element.ariaLabel ?? element.querySelector(":scope > .vh")?.textContent ?? "";
}

/** Return what a chain of things says; null if nothing is known about them. */
export function tell(
  chain: readonly HTMLElement[],
  all: Explanations,
  board: Board,
  scene: Scene,
  movesWith: (name: string) => string[] = () => [],
): Told | null {
  const names = chain.map(namesOf);
  const found = names.map((each) =>
    [...new Set(each.flatMap((name) => keysOf(name, board, scene)))].flatMap((key) => all[key] ?? []),
  );
  const titles = chain.flatMap((element, at) => [labelOf(element), ...(found[at] ?? []).map(({ name }) => name)]);
  const said = titles.filter(
    (title, at) => title && !titles.some((other, by) => by !== at && includes(other, title, by < at)),
  );
  const lines = new Map(found.flat().flatMap((each) => each.lines.map((line) => [line.words, line] as const)));
  const moves = [...new Set(names.flat().flatMap(movesWith))];
  const [title, ...where] = said;
  return title ? { title, where, lines: [...lines.values()].slice(0, 5), moves } : null;
}

/** Return a tip as text to be read aloud. */
export function aloud({ title, where, lines, moves }: Told): string {
  const can = moves.length ? `${_("You can now:")} ${moves.join(", ")}` : "";
  return [[title, ...where].join(", "), ...lines.map(({ words }) => words), can].filter(Boolean).join(" ");
}

/** Return whether a title says all that another one does. Of two equal ones the first stays. */
const includes = (title: string, other: string, first: boolean): boolean =>
  title === other ? first : title.toLowerCase().includes(other.toLowerCase());
