/**
 * Drag and drop by mouse, pen and finger, beside touches and keys. A thing lifts when the pointer has moved a little;
 * the places for it light up and name themselves. It is loaded after the first drawing.
 */

import { boxOf } from "../motion/drawn";
import { nameOf } from "./narrow";
import { type Drop, FELT, OWN } from "./drops";
import type { TableController } from "./controller.svelte";

/** How far the pointer moves before a touch becomes a drag, in px. */
const FAR = 7;
const BACK_MS = 200;

interface Spot extends Drop {
  rect: DOMRect;
  mark: HTMLElement;
}

/** A thing in the reader's hand. */
class Lifted {
  private readonly layer = document.createElement("div");
  private readonly copy: HTMLElement;
  private spots: Spot[];
  private readonly from: { x: number; y: number };

  constructor(
    private readonly root: HTMLElement,
    private readonly controller: TableController,
    private readonly thing: HTMLElement,
    start: PointerEvent,
  ) {
    this.from = { x: start.clientX, y: start.clientY };
    this.layer.className = "flights lifting";
    this.layer.ariaHidden = "true";
    (root.closest(".viewer") ?? root).append(this.layer);
    this.spots = this.marked();
    this.copy = this.copied();
    thing.classList.add("lifted");
  }

  private get id(): string {
    return this.thing.dataset.thing ?? "";
  }

  private copied(): HTMLElement {
    const drawn = this.thing.querySelector<HTMLElement>("[data-card]") ?? this.thing;
    const box = boxOf(drawn);
    const copy = drawn.cloneNode(true) as HTMLElement;
    for (const each of [copy, ...copy.querySelectorAll("*")]) each.removeAttribute("data-thing");
    copy.style.setProperty("--w", `${box.width}px`);
    const holder = document.createElement("div");
    holder.style.width = `${box.width}px`;
    holder.style.height = `${box.height}px`;
    holder.style.left = `${box.x - box.width / 2}px`;
    holder.style.top = `${box.y - box.height / 2}px`;
    holder.append(copy);
    this.layer.append(holder);
    return holder;
  }

  /** Mark all places where the thing can be dropped now. */
  private marked(): Spot[] {
    return this.controller.dropsOf(this.id).flatMap((drop) => this.spot(drop));
  }

  /** Mark a place for the thing, with its name. */
  private spot(drop: Drop): Spot[] {
    const element = this.elementOf(drop.onto);
    if (!element) return [];
    const rect = element.getBoundingClientRect();
    const mark = document.createElement("div");
    mark.className = "drop-place";
    Object.assign(mark.style, {
      left: `${rect.left}px`,
      top: `${rect.top}px`,
      width: `${rect.width}px`,
      height: `${rect.height}px`,
    });
    const name = document.createElement("b");
    name.textContent = this.controller.wordsOf(drop, this.id) || (element.querySelector(".vh")?.textContent ?? "");
    mark.append(name);
    this.layer.append(mark);
    return [{ ...drop, rect, mark }];
  }

  private elementOf(onto: string): HTMLElement | null {
    const felt = this.root.querySelector<HTMLElement>(".felt");
    if (onto === FELT) return felt;
    if (onto === OWN) return felt?.querySelector<HTMLElement>(`[data-seat="${this.controller.turn?.seat}"]`) ?? felt;
    const things = [...(felt?.querySelectorAll<HTMLElement>("[data-thing]") ?? [])];
    return things.find(({ dataset }) => nameOf(dataset.thing ?? "") === onto) ?? null;
  }

  /** Return the smallest marked place under a point. */
  private under(x: number, y: number): Spot | null {
    const hit = this.spots.filter(({ rect }) => x > rect.left && x < rect.right && y > rect.top && y < rect.bottom);
    return hit.sort((one, other) => one.rect.width * one.rect.height - other.rect.width * other.rect.height)[0] ?? null;
  }

  move({ clientX: x, clientY: y }: PointerEvent): void {
    this.copy.style.transform = `translate(${x - this.from.x}px, ${y - this.from.y}px) rotate(2deg) scale(1.06)`;
    const over = this.under(x, y);
    for (const spot of this.spots) spot.mark.classList.toggle("over", spot === over);
  }

  drop({ clientX: x, clientY: y }: PointerEvent): void {
    for (const { mark } of this.spots) mark.remove();
    this.spots = this.marked(); // the turn may have come or gone since the thing was lifted
    const spot = this.under(x, y);
    if (spot) {
      this.controller.drop(this.id, spot);
      return this.end();
    }
    const on = document.elementFromPoint(x, y);
    if (on?.closest(".felt")) this.controller.misplace(this.id, on.closest<HTMLElement>("[data-thing]")?.dataset.thing);
    this.back();
  }

  /** Let the thing go back to where it was. */
  back(): void {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const { mark } of this.spots) mark.remove();
    const way = this.copy.animate([{}, { transform: "none" }], { duration: still ? 0 : BACK_MS, easing: "ease-out" });
    void way.finished.then(
      () => this.end(),
      () => this.end(),
    );
  }

  private end(): void {
    this.layer.remove();
    this.thing.classList.remove("lifted");
  }
}

/** Let the things of a table be dragged. Returns a function that ends it. */
export function dragging(root: HTMLElement, controller: TableController): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  let pressed: { thing: HTMLElement; event: PointerEvent } | null = null;
  let lifted: Lifted | null = null;

  function release(): void {
    pressed = null;
    lifted = null;
  }
  root.addEventListener(
    "pointerdown",
    (event) => {
      const thing = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-thing]") : null;
      if (thing && event.isPrimary && event.button === 0 && controller.canDrag(thing.dataset.thing ?? ""))
        pressed = { thing, event };
    },
    { signal },
  );
  window.addEventListener(
    "pointermove",
    (event) => {
      if (!pressed || event.pointerId !== pressed.event.pointerId) return;
      if (!event.buttons) return cancel(); // it was let go outside the window
      const { clientX, clientY } = pressed.event;
      if (!lifted && Math.hypot(event.clientX - clientX, event.clientY - clientY) > FAR)
        lifted = new Lifted(root, controller, pressed.thing, pressed.event);
      lifted?.move(event);
    },
    { signal },
  );
  window.addEventListener(
    "pointerup",
    (event) => {
      if (event.pointerId !== pressed?.event.pointerId) return; // another finger
      if (lifted) {
        lifted.drop(event);
        suppressClick();
      }
      release();
    },
    { signal },
  );
  function cancel(): void {
    lifted?.back();
    release();
  }
  window.addEventListener(
    "pointercancel",
    (event) => {
      if (event.pointerId === pressed?.event.pointerId) cancel();
    },
    { signal },
  );
  // The key ends the drag alone: what was chosen before stays chosen.
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !lifted) return;
      event.stopImmediatePropagation();
      cancel();
    },
    { signal, capture: true },
  );
  return () => {
    cancel();
    listening.abort();
  };
}

/** The end of a drag is no click. */
function suppressClick(): void {
  const stop = (event: Event): void => {
    event.stopPropagation();
    event.preventDefault();
  };
  window.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", stop, { capture: true }), 0);
}
