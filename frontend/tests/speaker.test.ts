/** When sounds may be heard. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Cue } from "../src/sound/cues";
import { Speaker } from "../src/sound/speaker.svelte";
import type { Synth } from "../src/sound/synth";

const heard: Cue[] = [];
const page = { hidden: false };
const kept = new Map<string, string>();
let touches: EventTarget;

beforeEach(() => {
  touches = new EventTarget();
  heard.length = 0;
  page.hidden = false;
  kept.clear();
  vi.stubGlobal("window", touches);
  vi.stubGlobal("document", page);
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** A speaker that has been touched once, so that the browser allows sounds. */
async function touched(): Promise<Speaker> {
  const speaker = new Speaker();
  const synth: Pick<Synth, "play"> = { play: (cue) => void heard.push(cue) };
  speaker.wake(() => Promise.resolve(synth as Synth));
  speaker.play("deal"); // before the first touch nothing is heard
  touches.dispatchEvent(new Event("pointerdown"));
  await Promise.resolve();
  return speaker;
}

it("hears nothing before the first touch, and then what moves", async () => {
  const speaker = await touched();
  speaker.play("play");
  expect(heard).toEqual(["play"]);
});

it("wakes at each later touch, because a browser may have stopped the sound meanwhile", async () => {
  const woken: string[] = [];
  let made = 0;
  const synth: Pick<Synth, "wake"> = { wake: () => void woken.push("woken") };
  new Speaker().wake(() => Promise.resolve((made++, synth as Synth)));
  touches.dispatchEvent(new Event("pointerdown"));
  await Promise.resolve();
  for (const type of ["pointerup", "keydown"]) touches.dispatchEvent(new Event(type));
  expect([made, woken.length]).toEqual([1, 2]);
});

it("has one synth for all tables that a page shows, and asks again for one that did not come", async () => {
  const speaker = new Speaker();
  let made = 0;
  const load = (): Promise<Synth> =>
    ++made === 1 ? Promise.reject(new Error("no connection")) : Promise.resolve({ wake: () => undefined } as Synth);
  for (const touch of ["pointerdown", "keydown", "keydown"]) {
    const end = speaker.wake(load);
    touches.dispatchEvent(new Event(touch));
    await new Promise((resolve) => setTimeout(resolve));
    end();
  }
  expect(made).toBe(2);
});

it("is switched off by one click, and stays off on the next page", async () => {
  const speaker = await touched();
  speaker.setOn(false);
  speaker.play("play");
  expect([heard, new Speaker().on]).toEqual([[], false]);
  speaker.setOn(true);
  expect([heard, new Speaker().on]).toEqual([["play"], true]);
});

it("is silent while the page is hidden, but for one's turn where that is wanted", async () => {
  const speaker = await touched();
  page.hidden = true;
  for (const cue of ["play", "turn", "low", "win"] as const) speaker.play(cue);
  expect(heard).toEqual([]);
  speaker.setAway(true);
  for (const cue of ["play", "turn", "low", "win"] as const) speaker.play(cue);
  expect([heard, new Speaker().away]).toEqual([["turn"], true]);
});

it("works where the browser may remember nothing, as in a frame of another site", () => {
  vi.stubGlobal("localStorage", undefined);
  expect(new Speaker().on).toBe(true);
});
