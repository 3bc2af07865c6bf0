/**
 * Shows how a board came from one position to the next. Whoever changes the board calls `hold` before and `play` after
 * it; what moved is found by comparing both (flows.ts). Copies of the moved things fly above the board (Web Animations
 * API), and the board below already shows the new position. docs/adr/0032-motion-by-comparison.md says why.
 */

import { type Box, read, type Scene, type Shown } from "./drawn";
import { type Flow, flowsOf } from "./flows";
import { type Play, wantsStill } from "./timing";

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
/** When something moves: within `ms`, from `begin` to `end` in parts of it. */
interface Span {
  ms: number;
  begin?: number;
  end?: number;
}
const drawnOf = (end: End): Shown | null => (typeof end === "object" ? end : null);

export class Stage {
  private held: Scene | null = null;
  private layer: HTMLElement | null = null;
  private running: Animation[] = [];
  /** Things that have arrived on the board, but whose copies still fly. */
  private arriving: HTMLElement[] = [];

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
    if (wantsStill()) this.highlight(flows);
    else if (ms > 0) this.move(flows, held, now, Math.min(ms, LONGEST_MS));
  }

  /** Complete everything at once. */
  finish(): void {
    for (const each of this.running) each.cancel();
    this.running = [];
    for (const { style } of this.arriving) style.opacity = "";
    this.arriving = [];
    this.layer?.replaceChildren();
  }

  /** Forget what was held: the board is drawn in another way, and nothing moved. */
  drop(): void {
    this.held = null;
  }

  destroy(): void {
    this.finish();
    this.layer?.remove();
  }

  private animate(element: Element, frames: Keyframe[], options: KeyframeAnimationOptions): void {
    this.running.push(element.animate(frames, options));
  }

  /**
   * Move an element within a part of the time. All that moves ends together, because each end is a frame of its own for
   * the main thread. Two frames without an easing have the usual one.
   */
  private motion(element: Element, frames: Keyframe[], { ms, begin = 0, end = 1 }: Span): void {
    const timed = frames.map((frame, place) => ({
      ...(frames.length === 2 ? { easing: EASE } : {}),
      ...frame,
      offset: begin + Number(frame.offset ?? place / (frames.length - 1)) * (end - begin),
    }));
    const [first, last] = [timed[0], timed.at(-1)];
    if (begin > 0) timed.unshift({ ...first, offset: 0 });
    if (end < 1) timed.push({ ...last, offset: 1 });
    this.animate(element, timed, { duration: ms, fill: "forwards" });
  }

  /** Without motion: mark what has moved. */
  private highlight(flows: readonly Flow<Shown>[]): void {
    for (const { how, to } of flows) {
      const shown = drawnOf(to);
      if (!shown || how === "slides") continue;
      const mark = (colour: string): Keyframe => ({ outline: `3px solid ${colour}`, outlineOffset: "2px" });
      this.animate(shown.element, [mark("var(--felt-gold)"), mark("transparent")], {
        duration: HIGHLIGHT_MS,
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
        if (from && to) this.slide(from.box, to, before.boxes.get(to.place), after.boxes.get(to.place), ms);
      } else if (flow.how === "tumbles") {
        if (to) this.tumble(to, ms);
      } else if (place < MOST) {
        const begin = (SPREAD * place++) / Math.max(4, flying.length);
        this.fly(flow, before, after, { ms, begin, end: begin + 1 - SPREAD });
      }
    }
    const { running } = this;
    void Promise.all(running.map(({ finished }) => finished)).then(
      () => this.running === running && this.finish(),
      () => undefined, // they were completed before their end
    );
  }

  /** Return whether a thing lies on another one that flies: a die on its plate. */
  private within(flying: readonly Flow<Shown>[]): (shown: Shown) => boolean {
    const carriers = flying.flatMap(({ from, to }) => [drawnOf(from), drawnOf(to)]).filter((each) => each !== null);
    return ({ element }) => carriers.some((each) => each.element !== element && each.element.contains(element));
  }

  /** A thing makes room, or closes a gap. Where the page moved its whole place, from `was` to `is`, it goes along. */
  private slide(from: Box, { box, element }: Shown, was: Box | undefined, is: Box | undefined, ms: number): void {
    const [x, y] = [from.x - box.x, from.y - box.y];
    const [left, top] = was && is ? [edge(was, "x") - edge(is, "x"), edge(was, "y") - edge(is, "y")] : [0, 0];
    if (Math.hypot(x, y) < 1 || Math.hypot(x - left, y - top) < 1) return;
    const way = `${x / box.scale}px ${y / box.scale}px`;
    this.motion(element, [{ translate: way }, { translate: "0 0" }], { ms });
  }

  private tumble({ element, box }: Shown, ms: number): void {
    const turn = 200 + ((box.x * 7) % 160); // dice do not all turn alike
    // In pixels: what depends on the size of its box would be moved by the page's own work in each frame.
    const at = (x: number, y: number, angle: number): string =>
      `translate(${x * box.width}px, ${y * box.height}px) rotate(${angle}deg)`;
    this.motion(
      element,
      [
        { transform: at(-0.35, -0.7, -turn), easing: "ease-in" },
        { transform: at(0.06, 0, 14), offset: 0.62 },
        { transform: at(-0.02, -0.09, -5), offset: 0.8 },
        { transform: at(0, 0, 0) },
      ],
      { ms },
    );
  }

  private fly({ how, from, to }: Flow<Shown>, before: Scene, after: Scene, span: Span): void {
    const [old, fresh] = [drawnOf(from), drawnOf(to)];
    const model = larger(old, fresh) ?? this.back(before);
    if (!model) return;
    const start = this.boxAt(from, before, model);
    const end = this.boxAt(to, after, model);
    if (how === "breaks" && old) return this.shatter(old, span);
    if (how === "comes" && fresh) {
      const grown = [
        { opacity: 0, scale: 0.8 },
        { opacity: 1, scale: 1 },
      ];
      this.motion(fresh.element, grown, span);
      return;
    }
    if (!start) return;
    const flight = this.put(model, start);
    const faces = this.facesOf(flight, from, fresh, model, before);
    const [whence, whither] = [placed(start, model.box), placed(end ?? start, model.box)];
    const leaving = fresh ? {} : { opacity: end ? 0.6 : 0 };
    if (whence !== whither || !fresh)
      this.motion(flight, [{ transform: whence }, { transform: whither, ...leaving }], span);
    if (fresh) {
      fresh.element.style.opacity = "0"; // an animation that hides it would be the page's own work in each frame
      this.arriving.push(fresh.element);
    }
    if (!faces) return;
    this.motion(faces[0], [{ scale: "1 1" }, { scale: EDGE }, { scale: EDGE }], span);
    this.motion(faces[1], [{ scale: EDGE }, { scale: EDGE }, { scale: "1 1" }], span);
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
  private shatter(old: Shown, span: Span): void {
    const crack = "50% 0, 42% 30%, 56% 52%, 44% 74%, 52% 100%";
    for (const [edge, turn] of [
      [`polygon(0 0, ${crack}, 0 100%)`, -24],
      [`polygon(100% 0, ${crack}, 100% 100%)`, 24],
    ] as const) {
      const half = this.put(old, old.box).lastElementChild as HTMLElement;
      half.style.clipPath = edge;
      this.motion(
        half,
        [
          { rotate: "0deg" },
          { rotate: "-7deg", offset: 0.15 },
          { rotate: "7deg", offset: 0.3 },
          { rotate: "0deg", offset: 0.42, opacity: 1 },
          {
            rotate: `${turn}deg`,
            translate: `${(turn * old.box.width) / 100}px ${0.45 * old.box.height}px`,
            opacity: 0,
          },
        ],
        span,
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

/** Return where a box begins. */
function edge(box: Box, axis: "x" | "y"): number {
  return box[axis] - (box.scale * (axis === "x" ? box.width : box.height)) / 2;
}

/** Return how a thing flies: as it is, but what is drawn small at one end flies as at the other one. */
function larger(old: Shown | null, fresh: Shown | null): Shown | null {
  if (!old || !fresh) return fresh ?? old;
  return fresh.name === old.name && old.box.width > fresh.box.width ? old : fresh;
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
