/** What the bots print in the lab, beside the replay. */

import { flushSync, mount, unmount } from "svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import "../../static/css/tokens.css";
import "../../static/css/site.css";
import Output from "../../src/lab/Output.svelte";
import type { Fault } from "../../src/lab/types";
import { replayOf, stage } from "../sample";
import { all, one } from "./stage";

const versions = Array.from({ length: 60 }, (_, at) => at + 2);
const { controller } = stage(replayOf(versions));
const wentTo: number[] = [];
let mounted: object;

beforeEach(() => {
  document.body.innerHTML = `<div style="height: 30rem"></div><div id="here"></div>`;
  const faults: Fault[] = [0, 1].map((seat) => ({
    seat,
    version: 8 + seat,
    kind: "crashed",
    reason: "It crashed.",
    cost: "nothing",
    output: `  File "bot.py", line ${seat + 4}, in move\n`,
  }));
  const notes = versions.slice(10).map((version) => ({ seat: 1, version, text: `I think about ${version}` }));
  mounted = mount(Output, {
    target: one("#here"),
    props: { controller, notes, faults, own: 1, goTo: (line) => void wentTo.push(line) },
  });
  flushSync();
});
afterEach(() => unmount(mounted));

it("the list follows the replay", () => {
  const list = one("ol").getBoundingClientRect();
  for (const at of [30, 59, 12]) {
    flushSync(() => controller.go(at));
    const shown = one("li[aria-current=step]").getBoundingClientRect();
    expect([shown.top >= list.top - 1, shown.bottom <= list.bottom + 1], `step ${at}`).toEqual([true, true]);
  }
});

it("an error of the opponent's file leads to no line of one's own", () => {
  expect(all("li.faulty").length).toBe(2);
  const buttons = all("li.faulty .btn");
  expect(buttons.map((each) => each.textContent)).toEqual(["Go to line 5"]);
  buttons[0]?.click();
  expect(wentTo).toEqual([5]);
});
