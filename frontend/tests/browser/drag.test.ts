/** Drag and drop at the table: a thing lifts, its places name themselves, and a drop is a move or is explained. */

import { afterEach, describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { dragging } from "../../src/table/drag";
import { golden, type Moment } from "./golden";
import { all, one, type Seated, sit } from "./stage";

const ten = golden("chinese_ten", 2);
const legalOf = (moment: Moment, seat: number): string[] => moment.seats[seat]?.legal ?? [];
const at = ten.moments.findIndex((moment) => [0, 1].some((seat) => legalOf(moment, seat)[0]?.startsWith("capture")));
const moment = ten.moments[at] as Moment;
const seat = legalOf(moment, 0).length ? 0 : 1;
const [, card = "", spot = ""] = (legalOf(moment, seat)[0] ?? "").split(" ");

type Point = { x: number; y: number };
const middle = (element: Element): Point => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};
function fire(type: string, on: EventTarget, { x, y }: Point, buttons = 1, pointerId = 1): void {
  const more = { pointerId, isPrimary: true, button: 0, buttons, bubbles: true, cancelable: true };
  on.dispatchEvent(new PointerEvent(type, { ...more, clientX: x, clientY: y }));
}
/** Lift a thing and move it to a point; it is not let go. */
function lift(thing: Element, to: Point): void {
  const from = middle(thing);
  fire("pointerdown", thing, from);
  fire("pointermove", window, { x: from.x + 9, y: from.y });
  fire("pointermove", window, to);
}
const held = (): HTMLElement => one(`.hand-card[data-thing^="hand:${card}~"]`);
const spotAt = (number: string): HTMLElement => one(`[data-thing="spot:${number}"]`);
const places = (): HTMLElement[] => all(".drop-place");

let end: () => void = () => undefined;
afterEach(async () => {
  end();
  await new Promise((resolve) => setTimeout(resolve)); // the click at the end of a drag is swallowed until then
});

function seated(more: Parameters<typeof sit>[3] = {}): Seated {
  const made = sit(ten, moment, seat, more);
  end = dragging(one(".tabletop"), made.controller); // a page loads it after the first drawing
  return made;
}

describe("a card that is dragged", () => {
  it("shows where it can go and what that does, and is played by the drop", async () => {
    const { posts } = seated();
    const can = legalOf(moment, seat).filter((move) => move.split(" ")[1] === card);
    lift(held(), middle(spotAt(spot)));
    expect(places().map(({ textContent }) => textContent)).toEqual(can.map((move) => `Do ${move}`));
    expect(all(".drop-place.over").map(({ textContent }) => textContent)).toEqual([`Do capture ${card} ${spot}`]);
    fire("pointerup", window, middle(spotAt(spot)), 0);
    await expect.poll(() => posts.map(({ body }) => body.move)).toEqual([`capture ${card} ${spot}`]);
    expect(all(".lifting")).toEqual([]);
  });

  it("goes back from where it cannot go, with the rule's sentence", async () => {
    const why = { sentence: "Both cards must add up to ten.", clause: "CT-6" };
    const { posts, asked } = seated({ why });
    const taken = legalOf(moment, seat)
      .map((move) => move.split(" "))
      .filter((move) => move[1] === card);
    const wrong = ["1", "2", "3", "4"].find((number) => taken.every((move) => move[2] !== number)) as string;
    const to = middle(spotAt(wrong));
    lift(held(), to);
    fire("pointerup", window, to, 0);
    await expect.poll(() => asked).toEqual([`capture ${card} ${wrong}`]);
    await expect.poll(() => one(".passing").textContent).toContain(why.sentence);
    await expect.poll(() => all(".lifting").length).toBe(0);
    expect(posts).toEqual([]);
  });

  it("is told why a card of the table stays where it is", async () => {
    const { asked } = seated({ why: { sentence: "There is no flipped card to place.", clause: "CT-8" } });
    const other = ["1", "2", "3", "4"].find((number) => number !== spot) as string;
    lift(spotAt(spot), middle(spotAt(other)));
    fire("pointerup", window, middle(spotAt(other)), 0);
    await expect.poll(() => asked).toEqual([`flip ${spot}`]);
  });

  it("names the place under the finger whole at the top of a phone's window, where no card hides it", async () => {
    await page.viewport(360, 740);
    seated();
    lift(held(), middle(spotAt(spot)));
    const name = one(".drop-place.over b").getBoundingClientRect();
    const copy = one(".lifting > :not(.drop-place)").getBoundingClientRect();
    expect([name.left >= 0, name.right <= 360, name.bottom < copy.top]).toEqual([true, true, true]);
    expect(getComputedStyle(one(".hand-card")).touchAction).toBe("pinch-zoom"); // the page stays where it is
    await page.viewport(1280, 900);
  });

  it("is put back by Escape, and by being let go in the tray", () => {
    const { posts, asked, controller } = seated();
    lift(held(), middle(spotAt(spot)));
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    fire("pointerup", window, middle(spotAt(spot)), 0);
    lift(held(), middle(one("#tray-h")));
    fire("pointerup", window, middle(one("#tray-h")), 0);
    expect([posts, asked, controller.chosen]).toEqual([[], [], []]);
  });

  it("is put back by Escape without giving up what was chosen before", async () => {
    const { controller } = seated();
    const chosen = [`spot:${spot}`];
    controller.change({ chosen });
    lift(held(), middle(one(".felt")));
    expect(all(".lifting").length).toBe(1);
    held().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect(controller.chosen).toEqual(chosen);
    await expect.poll(() => all(".lifting").length).toBe(0);
  });

  it("names its places inside the narrowest phone's window", async () => {
    await page.viewport(360, 760);
    seated();
    lift(held(), middle(spotAt(spot)));
    for (const { left, right, width } of all(".drop-place > b").map((label) => label.getBoundingClientRect())) {
      expect([left >= 0, right <= 360]).toEqual([true, true]);
      expect(width).toBeGreaterThan(60);
    }
  });

  it("stays in the hand that holds it: a second finger neither drops it nor lets it go", async () => {
    const { posts } = seated();
    lift(held(), middle(one(".tray")));
    fire("pointerup", window, middle(spotAt(spot)), 0, 2);
    fire("pointercancel", window, middle(spotAt(spot)), 0, 2);
    expect([posts, all(".lifting").length]).toEqual([[], 1]);
    fire("pointerup", window, middle(spotAt(spot)), 0);
    await expect.poll(() => posts.map(({ body }) => body.move)).toEqual([`capture ${card} ${spot}`]);
  });

  it("is only touched if the pointer hardly moves", async () => {
    const { controller } = seated({ confirm: true });
    const from = middle(held());
    fire("pointerdown", held(), from);
    fire("pointermove", window, { x: from.x + 3, y: from.y });
    expect(all(".lifting")).toEqual([]);
    fire("pointerup", window, from, 0);
    held().click();
    expect(controller.chosen.length + Number(controller.staged !== null)).toBeGreaterThan(0);
  });
});

describe("while the other one thinks", () => {
  it("a touch plans a move, which stands above the cards and can be cancelled", async () => {
    const { controller } = sit(ten, moment, seat, {
      turn: { may_act: false, legal: [], waiting_for: [1 - seat] },
    });
    held().click();
    spotAt(spot).click();
    await expect.poll(() => all(".planned").length).toBe(1);
    expect(one(".planned").textContent).toMatch(/^\s*Planned: .+ and .+\. It is sent at your turn/);
    expect(held().classList.contains("plan")).toBe(true);
    one(".planned button").click();
    await expect.poll(() => all(".planned").length).toBe(0);
    expect(controller.planned).toEqual([]);
  });

  it("a move can be planned by keyboard, and a card that was lifted is played where the turn has come", async () => {
    const turn = { may_act: false, legal: [], waiting_for: [1 - seat] };
    const { controller, posts } = seated({ turn });
    expect([held(), spotAt(spot)].map(({ tabIndex }) => tabIndex)).toEqual([0, 0]);
    lift(held(), middle(spotAt(spot)));
    expect(places()).toEqual([]);
    const legal = legalOf(moment, seat).map((move) => ({ move, words: move }));
    controller.turned({ ...controller.turn!, version: 99, may_act: true, legal, waiting_for: [seat] });
    fire("pointerup", window, middle(spotAt(spot)), 0);
    await expect.poll(() => posts.map(({ body }) => body.move)).toEqual([`capture ${card} ${spot}`]);
  });
});
