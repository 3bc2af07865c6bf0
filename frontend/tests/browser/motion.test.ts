/** How a board comes from one position to the next: what flies, what turns, what is completed at once. */

import { tick } from "svelte";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boxOf } from "../../src/motion/drawn";
import { waitAt } from "../../src/playing";
import { SPEEDS } from "../../src/state";
import { golden, type Moment, seenBy } from "./golden";
import { all, one, prefer, sit, view } from "./stage";

/** Wait until the motion of a board is loaded: it comes after the first drawing. */
async function ready(): Promise<void> {
  await import("../../src/lively");
  await new Promise((resolve) => requestIdleCallback(resolve));
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const flights = (): HTMLElement[] => all(".flights > *");
/** Whatever moves: what flies, and what is moved where it lies. */
const moving = (): Animation[] => document.getAnimations().filter((each) => !(each instanceof CSSTransition));

const ten = golden("chinese_ten", 2);
const taking = ten.moments.findIndex(({ events }) => events.some(({ type }) => type === "captured"));
const [before, after] = [ten.moments[taking - 1] as Moment, ten.moments[taking] as Moment];
const taken = after.events.find(({ type }) => type === "captured") as { seat: number; spot: number };

describe("an event", () => {
  beforeAll(() => prefer("no-preference"));
  afterAll(() => prefer("reduce"));

  it("lets the taken cards fly from where they lay to the taker", async () => {
    const { controller } = view(ten, "all", before.version);
    await ready();
    const [spot, won] = [
      one(`[data-place="spot ${taken.spot}"]`),
      (): HTMLElement => one(`[data-seat="${taken.seat}"] .won`),
    ];
    const from = boxOf(spot.querySelector("[data-card]") as HTMLElement);
    controller.step(1);
    await tick();
    expect(flights().length).toBeGreaterThanOrEqual(2);
    const starts = flights().map((flight) => boxOf(flight));
    expect(starts.some(({ x, y }) => Math.abs(x - from.x) < 4 && Math.abs(y - from.y) < 4)).toBe(true);
    for (const each of moving()) each.pause();
    for (const each of moving()) each.currentTime = Number(each.effect?.getComputedTiming().endTime) - 1;
    const to = boxOf(won());
    const landing = flights().filter((flight) => Math.hypot(boxOf(flight).x - to.x, boxOf(flight).y - to.y) < 60);
    expect(landing.length).toBeGreaterThanOrEqual(2);
    for (const each of moving()) each.finish();
    await expect.poll(() => flights().length).toBe(0);
  });

  it("takes 300 ms at most and ends before the next, at every speed, both ways, on a general board too", async () => {
    for (const [kind, shown] of [
      ["chinese_ten", "chinese_ten"],
      ["plate_spinner", "plate_spinner"],
      ["chinese_ten", "x_chinese_ten"], // no board of ours has this name
    ] as const) {
      const { controller } = view({ ...golden(kind, 2), kind: shown }, "all", 1);
      await ready();
      let moved = 0;
      for (const speed of SPEEDS)
        for (const by of [1, 1, -1] as const) {
          controller.change({ playing: true, speed });
          const { ms } = waitAt(controller);
          controller.to(controller.at + by);
          await tick();
          for (const { effect } of moving()) {
            moved++;
            expect(Number(effect?.getComputedTiming().endTime)).toBeLessThanOrEqual(Math.min(301, ms));
          }
        }
      expect(moved, shown).toBeGreaterThan(4);
    }
  });

  it("needs no work of the page while things move: a browser can move them by itself", async () => {
    for (const kind of ["platinum_fish", "plate_spinner"]) {
      const { controller } = view(golden(kind, 2), "all", 1);
      await ready();
      let moved = 0;
      for (let count = 0; count < 12; count++) {
        controller.step(1);
        await tick();
        for (const { effect } of moving()) {
          moved++;
          const { target } = effect as KeyframeEffect;
          expect(target).toBeInstanceOf(HTMLElement);
          for (const frame of (effect as KeyframeEffect).getKeyframes())
            for (const [name, value] of Object.entries(frame)) {
              if (["offset", "computedOffset", "easing", "composite"].includes(name)) continue;
              expect(["transform", "translate", "rotate", "scale", "opacity"]).toContain(name);
              expect(value, name).not.toContain("%"); // parts of a box's size are the page's work
            }
        }
      }
      expect(moved, kind).toBeGreaterThan(4);
    }
  });

  it("is completed at once by the next one", async () => {
    const { controller } = view(ten, "all", before.version);
    await ready();
    controller.step(1);
    await tick();
    const flying = flights();
    const arriving = all(".felt [style*='opacity: 0']");
    expect(arriving.length).toBeGreaterThan(0);
    controller.step(1);
    await tick();
    expect(flying.some((each) => each.isConnected)).toBe(false);
    controller.settle();
    expect(all(".felt [style*='opacity: 0']")).toEqual([]);
  });

  it("is completed at once by a key at the table", async () => {
    const { controller } = sit(ten, before, taken.seat, { after });
    await ready();
    const frames = controller.replay.frames;
    controller.change({ at: frames.length - 2 });
    await tick();
    controller.change({ at: frames.length - 1 });
    await tick();
    expect(moving().length).toBeGreaterThan(0);
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Shift" }));
    expect([moving().length, flights().length]).toEqual([0, 0]);
  });

  it("shows in flight only cards that its viewpoint sees, and no name with them", async () => {
    const game = golden("palace", 2);
    const { controller } = view(game, "public", 1);
    await ready();
    let seen = 0;
    for (let at = 1; at < 16; at++) {
      controller.step(1);
      await tick();
      const told = JSON.stringify(game.moments.slice(at - 1, at + 1).map((moment) => seenBy(moment, "public")));
      for (const flight of flights()) {
        seen++;
        expect(flight.querySelector("[data-card], [data-piece], [data-thing], [aria-label], [id]")).toBeNull();
        for (const use of all("use", flight)) {
          const face = use.getAttribute("href")?.slice(3) ?? "";
          if (/^[A2-9TJQK][SHDC]$/.test(face)) expect(told, `step ${at}`).toContain(face);
        }
      }
    }
    expect(seen).toBeGreaterThan(4);
  });
});

describe("with reduced motion", () => {
  it("nothing flies: what moved is marked for a moment", async () => {
    const { controller } = view(ten, "all", before.version);
    await ready();
    controller.step(1);
    await tick();
    expect(flights()).toEqual([]);
    const marks = moving().flatMap(({ effect }) => (effect as KeyframeEffect).getKeyframes().slice(0, 1));
    expect(marks.length).toBeGreaterThan(0);
    expect(
      marks.every((frame) => frame.outlineOffset === "2px" && !("transform" in frame || "translate" in frame)),
    ).toBe(true);
  });
});
