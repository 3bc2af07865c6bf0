/** The generic board: in a replay and at a table, on a laptop and on a phone. */

import axe from "axe-core";
import { expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { SEEN } from "../tricks";
import { golden, type Golden, KINDS, orEvery, sizes } from "./golden";
import { all, one, sit, view } from "./stage";

const legal = ["play 4H", "play QH"];
const hidden = { ...SEEN, seat: null, hand: null };
const moment = {
  version: 2,
  events: [{ type: "played", seat: 2, card: "KH" }],
  public: hidden,
  seats: [SEEN, hidden, hidden].map((seen, seat) => ({ seen, legal: seat ? [] : legal })),
};
const tricks: Golden = {
  kind: "tricks",
  title: "Tricks",
  seats: 3,
  options: {},
  moments: [moment, { ...moment, version: 3 }],
};

const drawn = (): Promise<void> =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));

async function grave(): Promise<string[]> {
  const found = await axe.run("main", { resultTypes: ["violations"], preload: false });
  return found.violations.flatMap(({ id, impact, nodes }) =>
    impact === "serious" || impact === "critical" ? [`${id}: ${nodes[0]?.html}`] : [],
  );
}

it("shows what everybody has, in words too, and hides what is hidden", async () => {
  await page.viewport(1280, 720);
  view(tricks, "public", 2);
  expect(all(".felt [role=group]").map((each) => each.ariaLabel)).toContain("Trick: king of hearts");
  expect(one("[data-seat='0'].seat").ariaLabel).toContain("to move; Points: 13; Hand: 3 cards face down");
  expect(all(".felt [data-card='QH']")).toEqual([]);
  expect(await grave()).toEqual([]);
});

it("plays the card that is touched, by mouse and by key, and offers every move in words", async () => {
  await page.viewport(1280, 720);
  const { posts } = sit(tricks, moment, 0);
  expect(await grave()).toEqual([]);
  expect(all(".allmoves [data-move]").map((each) => each.dataset.move)).toEqual(legal);
  one("[data-thing='card:4H~0']").click();
  await expect.poll(() => posts.map(({ body }) => body.move)).toEqual(["play 4H"]);
  const again = sit(tricks, moment, 0);
  await userEvent.keyboard("q");
  await expect.poll(() => again.posts.map(({ body }) => body.move)).toEqual(["play QH"]);
});

it("draws each of our kinds large enough to be read on the narrowest phone, without scrolling sideways", async () => {
  await page.viewport(320, 800);
  for (const kind of orEvery(["palace", "plate_spinner"], KINDS)) {
    const game = golden(kind, Math.max(...sizes(kind)));
    const middle = game.moments[Math.floor(game.moments.length / 2)] as Golden["moments"][number];
    view({ ...game, kind: `x_${kind}` }, "all", middle.version);
    await drawn();
    expect(document.documentElement.scrollWidth, kind).toBeLessThanOrEqual(320);
    expect(Number(one(".felt").style.zoom), kind).toBeGreaterThanOrEqual(0.45);
  }
});

it("keeps what a phone has no room for under a button", async () => {
  const seen = { ...hidden, ...Object.fromEntries([..."abcdefghij"].map((name) => [name, name])) };
  const full = { ...moment, public: seen };
  await page.viewport(1280, 720);
  view({ ...tricks, moments: [full] }, "public", 2);
  expect(all("details.rest")).toEqual([]);
  await page.viewport(360, 740);
  await drawn();
  const rest = one("details.rest");
  const last = all("[role=group]", rest).at(-1) as HTMLElement;
  expect([rest.querySelector("summary")?.textContent, last.ariaLabel]).toEqual(["4 more", "J: j"]);
  expect(last.checkVisibility()).toBe(false);
  one("details.rest > summary").focus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => last.checkVisibility()).toBe(true);
});
