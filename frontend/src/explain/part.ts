/**
 * Explains the things of a table: by hover, by focus, by a long press, and one after the other by keys. It is loaded
 * when somebody first points at something.
 */

import { autoUpdate } from "@floating-ui/dom";
import { mount, unmount } from "svelte";
import type { Board, Scene } from "../boards/contract";
import { actionFor, pressOf } from "../keys";
import type { Shortcuts } from "../types";
import { aloud, anchorOf, chainOf, type Explanations, tell, THINGS } from "./names";
import { beside } from "./place";
import Tip from "./Tip.svelte";

/** What is explained. */
export interface Source {
  board: Board;
  scene: Scene;
  shortcuts: Shortcuts;
  /** The explanations of the kind. They are asked for once. */
  texts(): Promise<Explanations>;
  /** The player's legal moves with a thing, in words. */
  movesWith?(name: string): string[];
}

const HOVER_MS = 350;
const FOCUS_MS = 600;
const PRESS_MS = 500;
/** How long after a finger was lifted its click may come. */
const CLICK_MS = 400;
/** How long a tip stays that the pointer has left, so that the pointer can move onto it. */
const LEAVE_MS = 200;
/** How far a finger moves before it is no press but a drag, in px. */
const FAR = 7;
const ID = "explanation";
/** What a tip should not hide: what somebody compares with its thing, and what a teacher says. */
const LIES = "[data-piece], [data-card], [data-die], [data-thing], .coach";
/** What it should hide even less: what one can act on now. */
const ACTS = ".thing.offer, .hand-card.on, button:not(.thing, .hand-card)";

export class Explainer {
  private readonly listening = new AbortController();
  /** Says aloud what the tip of a step says: much that is drawn is hidden from screen readers, and so is its tip. */
  private readonly spoken = Object.assign(document.createElement("p"), { className: "vh", role: "status" });
  private texts: Promise<Explanations> | null = null;
  private drawn: object | null = null;
  private anchor: HTMLElement | null = null;
  private timer = 0;
  private pressed: { x: number; y: number } | null = null;
  /** What was pressed with a mouse, and where: it explains itself again when the pointer has been elsewhere. */
  private used: { x: number; y: number; on: HTMLElement | undefined } | null = null;
  /** Where the focus was before the keys went from thing to thing, and where it is; null if they do not. */
  private walking: { from: Element | null; on: HTMLElement } | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly source: Source,
  ) {
    const { signal } = this.listening;
    this.target.append(this.spoken);
    function on(where: EventTarget, what: string, call: (event: never) => void, capture = false): void {
      where.addEventListener(what, call as EventListener, { signal, capture });
    }
    on(root, "pointerover", (event: PointerEvent) => this.over(event));
    on(root, "pointerleave", (event: PointerEvent) => this.left(event));
    on(window, "pointerdown", (event: PointerEvent) => this.down(event), true);
    on(window, "pointermove", (event: PointerEvent) => this.moved(event));
    for (const what of ["pointerup", "pointercancel"]) on(window, what, (event: PointerEvent) => this.up(event));
    on(root, "contextmenu", (event: Event) => this.pressed && event.preventDefault());
    on(root, "focusin", (event: FocusEvent) => this.focused(event));
    on(root, "focusout", (event: FocusEvent) => this.blurred(event));
    on(window, "keydown", (event: KeyboardEvent) => this.keyed(event), true);
  }

  /** Do what the event asks for that this part was loaded for. */
  begin(event: Event): void {
    if (event.type === "pointerover") this.over(event as PointerEvent);
    else if (event.type === "pointerdown") this.down(event as PointerEvent);
    else if (event.type === "focusin") this.focused(event as FocusEvent);
    else if (event.type === "keydown") this.keyed(event as KeyboardEvent);
  }

  destroy(): void {
    this.close();
    this.spoken.remove();
    this.listening.abort();
  }

  private get target(): Element {
    return this.root.closest(".viewer") ?? document.body;
  }

  private later(ms: number, call: () => void): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(call, ms);
  }

  private over({ target, pointerType, buttons, clientX: x, clientY: y }: PointerEvent): void {
    if (pointerType === "touch" || buttons || this.pressed) return;
    const chain = chainOf(target as Element, this.root);
    const anchor = anchorOf(chain);
    const { used } = this;
    if (used && (anchor === used.on || Math.hypot(x - used.x, y - used.y) < FAR)) return;
    this.used = null;
    if (!anchor) this.later(LEAVE_MS, () => this.close());
    else if (anchor === this.anchor) window.clearTimeout(this.timer);
    else this.later(this.anchor ? LEAVE_MS : HOVER_MS, () => void this.open(chain));
  }

  /** A finger that is lifted leaves the table too; its tip stays until the next touch. */
  private left({ pointerType }: PointerEvent): void {
    if (pointerType !== "touch") this.later(LEAVE_MS, () => this.close());
  }

  private down({ target, pointerType, clientX: x, clientY: y }: PointerEvent): void {
    if ((target as Element).closest(`#${ID}`)) return;
    this.walking = null;
    this.close();
    this.letClick();
    const chain = chainOf(target as Element, this.root);
    this.used = pointerType === "touch" ? null : { x, y, on: anchorOf(chain) };
    if (pointerType !== "touch" || !chain.length) return;
    this.pressed = { x, y };
    this.later(PRESS_MS, () => {
      void this.open(chain);
      this.root.addEventListener("click", swallow, { capture: true, once: true });
    });
  }

  private moved({ clientX, clientY }: PointerEvent): void {
    if (!this.pressed || Math.hypot(clientX - this.pressed.x, clientY - this.pressed.y) < FAR) return;
    this.pressed = null;
    this.close();
  }

  private up({ target, clientX: x, clientY: y }: PointerEvent): void {
    if (this.used) this.used = { x, y, on: anchorOf(chainOf(target instanceof Element ? target : null, this.root)) };
    if (!this.pressed) return;
    this.pressed = null;
    if (!this.anchor) window.clearTimeout(this.timer);
    window.setTimeout(() => this.letClick(), CLICK_MS);
  }

  private letClick(): void {
    this.root.removeEventListener("click", swallow, { capture: true });
  }

  private focused({ target }: FocusEvent): void {
    const element = target as Element;
    if (this.walking || !element.matches(":focus-visible") || !element.matches(THINGS)) return;
    this.later(FOCUS_MS, () => void this.open(chainOf(element, this.root)));
  }

  /** A tip that a finger opened stays when another thing loses the focus by it. A step has named the next thing. */
  private blurred({ target }: FocusEvent): void {
    if (target === this.walking?.on) this.walking = null;
    if (!this.walking && (!this.anchor || this.anchor.contains(target as Node))) this.close();
  }

  private keyed(event: KeyboardEvent): void {
    if (document.activeElement !== this.walking?.on) this.walking = null; // the thing is gone
    if (event.key === "Escape" && (this.anchor || this.walking)) this.leave();
    else if (this.walking && event.key in STEPS) this.walk(STEPS[event.key] ?? 1);
    else if (actionFor(pressOf(event), this.source.shortcuts)?.do === "explain") this.walk(this.walking ? 1 : 0);
    else return this.walking || MODIFIERS.includes(event.key) ? undefined : this.close();
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Go to the next thing that can explain itself; `by` 0 begins with the first. */
  private walk(by: number): void {
    const all = [...this.root.querySelectorAll<HTMLElement>(THINGS)].filter(
      (each) => each.getClientRects().length && anchorOf(chainOf(each, this.root)) === each,
    );
    const at = this.walking ? all.indexOf(this.walking.on) : -1;
    const on = all[by === 0 ? 0 : (at + by + all.length) % all.length];
    if (!on) return;
    const from = this.walking ? this.walking.from : document.activeElement;
    this.walking = { from, on };
    if (on.tabIndex < 0 && !on.hasAttribute("tabindex")) on.tabIndex = -1;
    on.focus({ preventScroll: false });
    void this.open(chainOf(on, this.root));
  }

  /** Close the tip, and give the focus back. */
  private leave(): void {
    const { walking } = this;
    this.walking = null;
    this.close();
    if (walking?.from instanceof HTMLElement) walking.from.focus();
  }

  private async open(chain: readonly HTMLElement[]): Promise<void> {
    const anchor = anchorOf(chain);
    this.close();
    if (!anchor?.isConnected) return;
    this.anchor = anchor;
    this.texts ??= this.source.texts();
    const { board, scene, movesWith } = this.source;
    const all = await this.texts.catch(() => {
      this.texts = null; // ask again at the next thing
      return {};
    });
    const told = tell(chain, all, board, scene, movesWith);
    if (this.anchor !== anchor) return; // another thing was meant meanwhile
    if (!told) return this.close();
    if (this.walking) this.spoken.textContent = aloud(told);
    else anchor.setAttribute("aria-describedby", ID);
    const from = anchor.getBoundingClientRect();
    const put = (tip: HTMLElement): (() => void) => {
      tip.addEventListener("pointerenter", () => window.clearTimeout(this.timer));
      tip.addEventListener("pointerleave", (event) => this.left(event));
      return autoUpdate(anchor, tip, () => this.place(anchor, tip, from));
    };
    this.drawn = mount(Tip, { target: this.target, props: { told, id: ID, put } });
  }

  /** Put the tip beside its thing. If that was scrolled away `from` where it was, the tip leaves. */
  private place(anchor: HTMLElement, tip: HTMLElement, from: DOMRect): void {
    const thing = anchor.getBoundingClientRect();
    const scrolled = !this.walking && Math.hypot(thing.x - from.x, thing.y - from.y) > FAR;
    if (!anchor.isConnected || scrolled) return this.close();
    const others = [...this.root.querySelectorAll<HTMLElement>(`${LIES}, ${ACTS}`)]
      .filter((each) => !each.contains(anchor) && !anchor.contains(each))
      .map((each) => ({ box: each.getBoundingClientRect(), acts: each.matches(ACTS) }));
    const { clientWidth: width, clientHeight: height } = document.documentElement;
    const { x, y, acts } = beside(thing, tip.getBoundingClientRect(), others, { width, height });
    Object.assign(tip.style, { left: `${x}px`, top: `${y}px`, pointerEvents: acts ? "none" : "" });
  }

  close(): void {
    window.clearTimeout(this.timer);
    if (this.drawn) void unmount(this.drawn);
    this.drawn = null;
    this.spoken.textContent = "";
    this.anchor?.removeAttribute("aria-describedby");
    this.anchor = null;
  }
}

const MODIFIERS = ["Shift", "Control", "Alt", "Meta"];
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The end of a long press is no click. */
function swallow(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}
