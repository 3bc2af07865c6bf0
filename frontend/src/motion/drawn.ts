/** Reads what a table shows: its things with their boxes on the screen, and the places in which they lie. */

import { type Drawn, type Place, seatKey, type Thing } from "./flows";

/** Where a thing is on the screen: its middle, and the size of its layout, which is drawn `scale` times as large. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  scale: number;
  /** Its turn in radians. */
  angle: number;
}

/** A drawn thing. `copy` looks as the thing did when it was read; it is the thing itself if that is still there. */
export interface Shown extends Thing {
  element: HTMLElement;
  box: Box;
  copy: HTMLElement;
}

export interface Scene extends Drawn<Shown> {
  boxes: ReadonlyMap<string, Box>;
}

const THING = "[data-piece], [data-card], [data-die]";
const PLACE = "[data-place]";
const SEAT = "[data-seat], [data-owner]";

export function boxOf(element: Element): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  const scale = (element as { currentCSSZoom?: number }).currentCSSZoom ?? 1;
  if (!(element instanceof HTMLElement)) return { x, y, width: width / scale, height: height / scale, scale, angle: 0 };
  const [w, h] = [element.offsetWidth, element.offsetHeight];
  const angle = Math.abs(w * scale - width) > 1 || Math.abs(h * scale - height) > 1 ? angleOf(element) : 0;
  return { x, y, width: w, height: h, scale, angle };
}

/** Return the turn of an element by its own transform and those of the two elements around it. */
function angleOf(element: HTMLElement): number {
  let angle = 0;
  for (let each: HTMLElement | null = element, up = 0; each && up < 3; each = each.parentElement, up++) {
    const { transform } = getComputedStyle(each);
    if (transform !== "none") {
      const { a, b } = new DOMMatrix(transform);
      angle += Math.atan2(b, a);
    }
  }
  return angle;
}

const seatOf = (element: Element): number | null => {
  const owner = element.closest<HTMLElement>(SEAT)?.dataset;
  const seat = owner?.seat ?? owner?.owner;
  return seat === undefined || seat === "" ? null : Number(seat);
};

/** Places of two players may have the same name. */
const keyOf = (element: HTMLElement): string => `${seatOf(element) ?? ""}/${element.dataset.place ?? ""}`;

function named(element: HTMLElement): Pick<Thing, "sort" | "name"> {
  const { piece, card, die } = element.dataset;
  if (piece !== undefined) return { sort: "piece", name: piece };
  return card === undefined ? { sort: "die", name: die ?? "" } : { sort: "card", name: card === "back" ? "" : card };
}

/**
 * Read what lies on a table. A thing outside all places is where its player sits, or in the middle. `kept`: the table
 * is about to change, so its things are copied.
 */
export function read(root: HTMLElement, kept = false): Scene {
  const [things, places, boxes]: [Shown[], Map<string, Place>, Map<string, Box>] = [[], new Map(), new Map()];
  for (const element of root.querySelectorAll<HTMLElement>(PLACE)) {
    const key = keyOf(element);
    const { breaks, rolled } = element.dataset;
    const more = { ...(breaks === undefined ? {} : { breaks: true }), ...(rolled === undefined ? {} : { rolled }) };
    places.set(key, { seat: seatOf(element), count: Number(element.dataset.count ?? 0), ...more });
    if (!boxes.has(key)) boxes.set(key, boxOf(element));
  }
  const counted = new Set(
    [...root.querySelectorAll<HTMLElement>(`${PLACE}[data-count]`)].map((element) => keyOf(element)),
  );
  for (const element of root.querySelectorAll<HTMLElement>(THING)) {
    const box = boxOf(element);
    if (!box.width) continue; // not drawn at this width of the window
    const around = element.parentElement?.closest<HTMLElement>(PLACE);
    const seat = seatOf(element);
    const place = around && root.contains(around) ? keyOf(around) : `${seat ?? ""}/`;
    if (!places.has(place)) places.set(place, { seat, count: 0 });
    if (!counted.has(place)) (places.get(place) as Place).count++;
    const copy = kept ? (element.cloneNode(true) as HTMLElement) : element;
    things.push({ ...named(element), place, element, box, copy });
  }
  for (const element of root.querySelectorAll<HTMLElement>("[data-seat]")) {
    const key = seatKey(Number(element.dataset.seat));
    if (!boxes.has(key)) boxes.set(key, boxOf(element.querySelector(".mark") ?? element));
  }
  return { things, places, boxes };
}
