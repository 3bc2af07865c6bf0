/** Things that explain themselves: by hover, focus, a long press and keys, on every board, from every viewpoint. */

import axe from "axe-core";
import { afterEach, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { chainOf, tell, THINGS } from "../../src/explain/names";
import type { Scene } from "../../src/boards/contract";
import { SEEN } from "../tricks";
import { boardOf } from "./boards";
import { EXPLANATIONS, golden, type Golden, KINDS, type Moment, sizes } from "./golden";
import { all, clear, one, sit, view } from "./stage";

const ten = golden("chinese_ten", 2);
const legalOf = (moment: Moment, seat: number): string[] => moment.seats[seat]?.legal ?? [];
const moment = ten.moments.find((each) => legalOf(each, 0)[0]?.startsWith("capture")) as Moment;
const more = { explanations: EXPLANATIONS.chinese_ten };
const tip = (): string | undefined => document.querySelector("[role=tooltip]")?.textContent ?? undefined;

afterEach(clear);

it("a card tells its worth, what takes it, and the clauses, when the mouse rests on it", async () => {
  await page.viewport(1280, 720);
  view(ten, "public", moment.version, more);
  const card = all(".spot [data-card]").at(-1) as HTMLElement;
  await userEvent.hover(card);
  await expect.poll(tip).toMatch(/Worth \d+ points in a scoring pile\.\s*CT-1/);
  expect(tip()).toContain("CT-5");
  expect(tip()).toContain("Spot");
  expect(one("[aria-describedby]").contains(card)).toBe(true);
  expect((await axe.run("main", { resultTypes: ["violations"], preload: false })).violations).toEqual([]);
  await userEvent.keyboard("{Escape}");
  expect(tip()).toBeUndefined();
  expect(all("[aria-describedby]")).toEqual([]);
});

it("at the table it tells what one can do now; Escape closes it and keeps what was chosen", async () => {
  await page.viewport(1280, 720);
  const { controller } = sit(ten, moment, 0, { page: more, confirm: true });
  const [, card = ""] = (legalOf(moment, 0)[0] ?? "").split(" ");
  const held = one(`.hand-card[data-thing^="hand:${card}~"]`);
  await userEvent.hover(held);
  await expect.poll(() => one("[role=tooltip]").innerText).toContain("You can now:");
  expect(tip()).toContain(`Do capture ${card}`);
  await userEvent.click(held);
  const before = [controller.chosen, controller.staged];
  await userEvent.hover(one("[data-place=deck]"));
  await expect.poll(tip).toContain("CT-8");
  await userEvent.keyboard("{Escape}");
  expect([controller.chosen, controller.staged]).toEqual(before);
});

it("a long press explains a card until the next touch and does not play it; a finger that moves does not", async () => {
  await page.viewport(360, 780);
  const { controller, posts } = sit(ten, moment, 0, { page: more });
  const held = one(".hand-card");
  const { left, top } = held.getBoundingClientRect();
  const at = {
    clientX: left + 5,
    clientY: top + 5,
    pointerId: 4,
    isPrimary: true,
    pointerType: "touch",
    bubbles: true,
  };
  const press = (): unknown => held.dispatchEvent(new PointerEvent("pointerdown", { ...at, buttons: 1 }));
  press();
  await expect.poll(tip).toContain("CT-1");
  window.dispatchEvent(new PointerEvent("pointerup", at));
  one(".tabletop").dispatchEvent(new PointerEvent("pointerleave", at));
  await new Promise((resolve) => setTimeout(resolve, 20)); // a browser sends the click a little later
  held.click();
  expect([controller.chosen, posts]).toEqual([[], []]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(tip()).toContain("CT-1");
  press();
  expect(tip()).toBeUndefined();
  window.dispatchEvent(new PointerEvent("pointermove", { ...at, clientX: left + 40 }));
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(tip()).toBeUndefined();
});

it("keys go from thing to thing, and Escape gives the focus back", async () => {
  await page.viewport(1280, 720);
  view(ten, "public", moment.version, more);
  one(".deck button").focus();
  const before = document.activeElement;
  // The pointer begins to load the part; the key comes before it is there.
  one(".felt").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  before?.dispatchEvent(new KeyboardEvent("keydown", { key: "x", bubbles: true }));
  await expect.poll(tip).toBeTruthy();
  const first = tip();
  expect(one(".felt").contains(document.activeElement)).toBe(true);
  const spoken = [...document.querySelectorAll(".vh[role=status]")].map(({ textContent }) => textContent);
  expect(spoken).toEqual([expect.stringContaining(one("[role=tooltip] p").firstChild?.textContent?.trim() ?? "-")]);
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(tip).not.toBe(first);
  await expect.poll(tip).toBeTruthy();
  await userEvent.keyboard("{Escape}");
  expect([tip(), document.activeElement]).toEqual([undefined, before]);
});

it("keys are letters where somebody types, also in an editor inside a shadow root", async () => {
  view(ten, "public", moment.version, more);
  one(".felt").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  one(".deck button").focus();
  await userEvent.keyboard("x");
  await expect.poll(tip).toBeTruthy();
  await userEvent.keyboard("{Escape}");
  const host = document.createElement("div");
  host.attachShadow({ mode: "open" }).innerHTML = `<div contenteditable="true"></div>`;
  document.body.append(host);
  const typed = host.shadowRoot?.firstElementChild as HTMLElement;
  typed.focus();
  await userEvent.keyboard("maximum 1");
  expect([typed.textContent, document.activeElement === host, tip()]).toEqual(["maximum 1", true, undefined]);
});

it("the keys go back to the page when the focus leaves the things, or something is pressed", async () => {
  const { controller } = view(ten, "public", moment.version, more);
  document.body.insertAdjacentHTML("beforeend", "<input aria-label='Say'>");
  const field = one("input[aria-label=Say]");
  one(".felt").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  const walk = async (): Promise<void> => {
    one(".deck button").focus();
    await userEvent.keyboard("x");
    await expect.poll(tip).toBeTruthy();
  };
  await walk();
  field.focus();
  expect(tip()).toBeUndefined();
  await userEvent.keyboard("{ArrowLeft}");
  expect(document.activeElement === field).toBe(true);
  await walk();
  one("header.masthead").dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  const before = controller.at;
  await userEvent.keyboard("{ArrowRight}");
  expect(controller.at).toBe(before + 1);
});

it("leaves when its thing is pressed, and comes back when the pointer has been elsewhere", async () => {
  await page.viewport(1280, 720);
  sit(ten, moment, 0, { page: more, confirm: true });
  const held = one(".hand-card");
  await userEvent.hover(held);
  await expect.poll(tip).toContain("CT-1");
  await userEvent.click(held);
  held.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: 2000 })); // another part of the thing
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(tip()).toBeUndefined();
  await userEvent.hover(one("#tray-h"));
  await userEvent.hover(held);
  await expect.poll(tip).toContain("CT-1");
});

it("every thing on every board has an explanation, and none that its board asks for is missing", async () => {
  await page.viewport(1280, 720);
  const dumb = new Set<string>();
  for (const kind of KINDS) {
    const game = golden(kind, Math.max(...sizes(kind)));
    const texts = EXPLANATIONS[kind] ?? {};
    const board = boardOf(kind);
    const checked = {
      ...board,
      explains(...asked: Parameters<NonNullable<typeof board.explains>>) {
        const keys = board.explains?.(...asked) ?? [];
        expect(
          keys.filter((key) => !(key in texts)),
          `${kind}: ${asked[0]}`,
        ).toEqual([]);
        return keys;
      },
    };
    for (const each of game.moments.filter((_, at) => at % Math.ceil(game.moments.length / 2) === 4)) {
      const { controller } = view(game, "0", each.version);
      const scene = { frame: controller.frame, replay: controller.replay } as Scene;
      for (const element of all(`.felt :is(${THINGS})`)) {
        const chain = chainOf(element, one(".felt"));
        const told = tell(chain, texts, checked, scene);
        if (!told?.lines.length) dumb.add(`${kind}: ${element.outerHTML.slice(0, 120)}`);
      }
    }
  }
  expect([...dumb]).toEqual([]);
});

it("a hidden card of an opponent tells only that it is hidden", async () => {
  await page.viewport(1280, 720);
  view(ten, "0", moment.version, more);
  await userEvent.hover(one("[data-seat='1'] [data-card=back]"));
  await expect.poll(tip).toContain("A hand is private");
  expect(tip()).toContain("a face-down card");
});

it("the board that draws any kind names its things, also where a kind explains nothing", async () => {
  await page.viewport(1280, 720);
  const one_ = { version: 2, events: [{ type: "played", seat: 2, card: "KH" }], public: SEEN, seats: [] };
  const tricks: Golden = { kind: "tricks", title: "Tricks", seats: 3, options: {}, moments: [one_] };
  view(tricks, "public", 2);
  await userEvent.hover(one(".felt [data-card='KH']"));
  await expect.poll(tip).toContain("king of hearts");
});
