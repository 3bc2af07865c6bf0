/**
 * Shows how a board came from one position to the next. Whoever changes the board calls `hold` before and `play` after
 * it; what moved is found by comparing both (flows.ts). Copies of the moved things fly above the board (Web Animations
 * API), and the board below already shows the new position. docs/adr/0032-motion-by-comparison.md says why.
 */

import { prefersReducedMotion } from "svelte/motion";
import { type Box, read, type Scene, type Shown } from "./drawn";
import { type Flow, flowsOf } from "./flows";
import type { Play } from "./timing";

/** The longest animation of one event. */
export const LONGEST_MS = 300;
/** Of an event, the most things that fly one by one. */
const MOST = 24;
/** The part of the time in which all things have set off. */
const SPREAD = 0.25;
const HIGHLIGHT_MS = 700;
const EASE = "cubic-bezier(0.25, 0.8, 0.35, 1)";
/** How wide a card is that is seen from its edge. Of one without any width, each frame would be the page's own work. */
const EDGE = "0.01 1";

type End = Shown | string | null;
const drawnOf = (end: End): Shown | null => (typeof end === "object" ? end : null);

export class Stage {
  private held: Scene | null = null;
  private layer: HTMLElement | null = null;
  private running: Animation[] = [];
  /** Things that have arrived on the board, but whose copies still fly. */
  private arriving = new Set<HTMLElement>();

  /** `root` holds the board and what belongs to it; `heard` is told what moved. */
  constructor(
    private readonly root: HTMLElement,
    private readonly heard: (flows: readonly Flow[]) => void,
  ) {}

  /** Remember what is drawn. What still moves is completed at once. */
  hold(): void {
    if (this.held) return; // the board has not been drawn again since
    this.finish();
    this.held = read(this.root, true);
  }

  /** Show how the held position became the present one. */
  play({ ms, seat }: Play): void {
    const { held } = this;
    this.held = null;
    if (!held || document.hidden) return;
    const now = read(this.root);
    const flows = flowsOf(held, now, seat);
    this.heard(flows);
    if (prefersReducedMotion.current) this.highlight(flows);
    else if (ms > 0) this.move(flows, held, now, Math.min(ms, LONGEST_MS));
  }

  /** Complete everything at once. */
  finish(): void {
    for (const each of this.running) each.cancel();
    this.running = [];
    for (const each of this.arriving) this.show(each);
    this.layer?.replaceChildren();
  }

  private show(element: HTMLElement): void {
    element.style.opacity = "";
    this.arriving.delete(element);
  }

  /** Forget what was held: the board is drawn in another way, and nothing moved. */
  drop(): void {
    this.held = null;
  }

  destroy(): void {
    this.finish();
    this.layer?.remove();
  }

  private animate(element: Element, frames: Keyframe[], ms: number, more: KeyframeAnimationOptions = {}): Animation {
    const made = element.animate(frames, { duration: ms, easing: EASE, fill: "backwards", ...more });
    this.running.push(made);
    return made;
  }

  /** Without motion: mark what has moved. */
  private highlight(flows: readonly Flow<Shown>[]): void {
    for (const { how, to } of flows) {
      const shown = drawnOf(to);
      if (!shown || how === "slides") continue;
      const mark = (colour: string): Keyframe => ({ outline: `3px solid ${colour}`, outlineOffset: "2px" });
      this.animate(shown.element, [mark("var(--felt-gold)"), mark("transparent")], HIGHLIGHT_MS, {
        easing: "steps(1)",
      });
    }
  }

  private move(flows: readonly Flow<Shown>[], before: Scene, after: Scene, ms: number): void {
    const flying = flows.filter(({ how }) => how !== "slides" && how !== "tumbles");
    const inside = this.within(flying);
    let place = 0;
    for (const flow of flows) {
      const [from, to] = [drawnOf(flow.from), drawnOf(flow.to)];
      if ((from && inside(from)) || (to && inside(to))) continue;
      if (flow.how === "slides") {
        if (from && to) this.slide(from.box, to, ms);
      } else if (flow.how === "tumbles") {
        if (to) this.tumble(to, ms);
      } else if (place < MOST) {
        const late = (SPREAD * ms * place++) / Math.max(4, flying.length);
        this.fly(flow, before, after, ms * (1 - SPREAD), late);
      }
    }
    const { layer } = this;
    void Promise.allSettled(this.running.map(({ finished }) => finished)).then(() => {
      if (this.running.every(({ playState }) => playState === "finished")) layer?.replaceChildren();
    });
  }

  /** Return whether a thing lies on another one that flies: a die on its plate. */
  private within(flying: readonly Flow<Shown>[]): (shown: Shown) => boolean {
    const carriers = flying.flatMap(({ from, to }) => [drawnOf(from), drawnOf(to)]).filter((each) => each !== null);
    return ({ element }) => carriers.some((each) => each.element !== element && each.element.contains(element));
  }

  /** A thing makes room, or closes a gap. */
  private slide(from: Box, { box, element }: Shown, ms: number): void {
    const [x, y] = [(from.x - box.x) / box.scale, (from.y - box.y) / box.scale];
    if (Math.abs(x) < 1 && Math.abs(y) < 1) return;
    // A browser moves a drawing (SVG) without the page's own work only by its whole transform.
    const frames =
      (element as Element) instanceof HTMLElement
        ? [{ translate: `${x}px ${y}px` }, { translate: "0 0" }]
        : [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }];
    this.animate(element, frames, ms);
  }

  private tumble({ element, box }: Shown, ms: number): void {
    const turn = 200 + ((box.x * 7) % 160); // dice do not all turn alike
    this.animate(
      element,
      [
        { transform: `translate(-35%, -70%) rotate(${-turn}deg)`, easing: "ease-in" },
        { transform: "translate(6%, 0) rotate(14deg)", offset: 0.62 },
        { transform: "translate(-2%, -9%) rotate(-5deg)", offset: 0.8 },
        { transform: "translate(0, 0) rotate(0deg)" },
      ],
      ms,
    );
  }

  private fly({ how, from, to }: Flow<Shown>, before: Scene, after: Scene, ms: number, delay: number): void {
    const [old, fresh] = [drawnOf(from), drawnOf(to)];
    const model = larger(old, fresh) ?? this.back(before);
    if (!model) return;
    const start = this.boxAt(from, before, model);
    const end = this.boxAt(to, after, model);
    if (how === "breaks" && old) return this.shatter(old, ms + delay);
    if (how === "comes" && fresh) {
      const grown = [
        { opacity: 0, scale: 0.8 },
        { opacity: 1, scale: 1 },
      ];
      this.animate(fresh.element, grown, ms, { delay });
      return;
    }
    if (!start) return;
    const flight = this.put(model, start);
    const faces = this.facesOf(flight, from, fresh, model, before);
    const flown = this.animate(
      flight,
      [
        { transform: placed(start, model.box) },
        end
          ? { transform: placed(end, model.box), opacity: fresh ? 1 : 0.6 }
          : { transform: placed(start, model.box), opacity: 0 },
      ],
      ms,
      { delay, fill: "both" },
    );
    if (fresh) {
      fresh.element.style.opacity = "0"; // an animation that hides it would be the page's own work in each frame
      this.arriving.add(fresh.element);
      flown.onfinish = () => this.show(fresh.element);
    }
    if (!faces) return;
    this.animate(faces[0], [{ scale: "1 1" }, { scale: EDGE, offset: 0.5 }, { scale: EDGE }], ms, {
      delay,
      easing: "linear",
      fill: "both",
    });
    this.animate(faces[1], [{ scale: EDGE }, { scale: EDGE, offset: 0.5 }, { scale: "1 1" }], ms, {
      delay,
      easing: "linear",
      fill: "both",
    });
  }

  /** Return the two sides of a card that turns over on its way, the first one added to the flight; else null. */
  private facesOf(
    flight: HTMLElement,
    from: End,
    fresh: Shown | null,
    model: Shown,
    before: Scene,
  ): [HTMLElement, HTMLElement] | null {
    if (!fresh || fresh.sort !== "card" || from === null) return null;
    const old = typeof from === "string" ? this.back(before) : from;
    if (!old || old.sort !== "card" || Boolean(old.name) === Boolean(fresh.name)) return null;
    const other = copied(old, model.box);
    flight.prepend(other);
    return [other, flight.lastElementChild as HTMLElement];
  }

  /** Return a card that lies face down, as a model for one that nobody sees. */
  private back({ things }: Scene): Shown | null {
    return things.find(({ sort, name }) => sort === "card" && !name) ?? null;
  }

  private boxAt(end: End, { boxes, things }: Scene, model: Shown): Box | null {
    if (end === null) return null;
    if (typeof end !== "string") return end.box;
    const inPlace = things.filter(({ place, sort }) => place === end && sort === model.sort);
    const last = inPlace[inPlace.length - 1];
    if (last) return last.box;
    const box = boxes.get(end);
    return box ? { ...model.box, x: box.x, y: box.y, angle: 0, scale: model.box.scale * 0.7 } : null;
  }

  /** A plate wobbles and breaks in two. */
  private shatter(old: Shown, ms: number): void {
    const crack = "50% 0, 42% 30%, 56% 52%, 44% 74%, 52% 100%";
    for (const [edge, turn] of [
      [`polygon(0 0, ${crack}, 0 100%)`, -24],
      [`polygon(100% 0, ${crack}, 100% 100%)`, 24],
    ] as const) {
      const half = this.put(old, old.box).lastElementChild as HTMLElement;
      half.style.clipPath = edge;
      this.animate(
        half,
        [
          { rotate: "0deg" },
          { rotate: "-7deg", offset: 0.15 },
          { rotate: "7deg", offset: 0.3 },
          { rotate: "0deg", offset: 0.42, opacity: 1 },
          { rotate: `${turn}deg`, translate: `${turn}% 45%`, opacity: 0 },
        ],
        ms,
        { fill: "both", easing: "linear" },
      );
    }
  }

  /** Put a copy of a thing above the board. */
  private put(model: Shown, at: Box): HTMLElement {
    this.layer ??= this.made();
    const flight = document.createElement("div");
    flight.style.width = `${model.box.width}px`;
    flight.style.height = `${model.box.height}px`;
    flight.style.transform = placed(at, model.box);
    flight.append(copied(model, model.box));
    this.layer.append(flight);
    return flight;
  }

  private made(): HTMLElement {
    const layer = document.createElement("div");
    layer.className = "flights";
    layer.ariaHidden = "true";
    layer.inert = true;
    (this.root.closest(".viewer") ?? this.root).append(layer);
    return layer;
  }
}

/** Return how a thing flies: as it is, but a piece that is drawn small at one end flies as at the other one. */
function larger(old: Shown | null, fresh: Shown | null): Shown | null {
  if (!old || !fresh) return fresh ?? old;
  return fresh.sort === "piece" && old.box.width > fresh.box.width ? old : fresh;
}

/** Return a copy of a thing that cannot be taken for the thing itself. */
export function copied({ copy }: Shown, { width, height }: Box): HTMLElement {
  const made = copy.cloneNode(true) as HTMLElement;
  for (const each of [made, ...made.querySelectorAll<HTMLElement>("*")]) {
    for (const { name } of [...each.attributes])
      if (/^(?:data-|aria-|id$|role$|tabindex$)/.test(name)) each.removeAttribute(name);
  }
  made.classList.remove("fresh", "offer", "chosen");
  made.style.setProperty("--w", `${width}px`);
  made.style.width = `${width}px`;
  made.style.height = `${height}px`;
  return made;
}

/** Return the transform that draws a box of the size of `layout` at `box`. */
export function placed({ x, y, width, scale, angle }: Box, layout: Box): string {
  const factor = (width * scale) / layout.width;
  return `translate(${x - layout.width / 2}px, ${y - layout.height / 2}px) rotate(${angle}rad) scale(${factor})`;
}
