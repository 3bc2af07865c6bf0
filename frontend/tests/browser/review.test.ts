/** A review in the viewer: the curve above the scrubber, its mistakes, and the way to it. */

import axe from "axe-core";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { Review } from "../../src/types";
import { golden } from "./golden";
import { all, one, view } from "./stage";

const game = golden("chinese_ten", 2);
const versions = game.moments.map(({ version }) => version);
const [first = 0, second = 0, third = 0, fourth = 0] = versions;
const shown = (): number => Number(one(".list [aria-current] i").textContent);
const go_on = { post: "/continue/", signed_in: true, bots: [] };
const more = { review: "/games/7F3K0000/review/", go_on };

function reviewOf(seat: number, state: Review["state"], mistakes: number[] = []): Review {
  const done = state === "done";
  return {
    game: "7F3K0000",
    seat,
    state,
    progress: done ? 100 : 40,
    method: "1-0",
    summary: [],
    mistakes: mistakes.map((version) => ({
      version,
      step: version,
      event: version + 1,
      move: "Lay the 3",
      best: "6 takes 4 on spot 2",
      cost: 0.083,
      error: 0.021,
      strong: "6 takes 4 on spot 2",
      better: null,
      made: null,
    })),
    review: done ? { curve: versions.map((version) => ({ version, chance: 0.6, error: 0.02 })) } : null,
  };
}

beforeEach(() => page.viewport(360, 760));

describe("a review that is there", () => {
  const reviews = () => Promise.resolve(reviewOf(0, "done", [second, fourth]));

  it("is drawn above the scrubber, which says the chance too", async () => {
    view(game, "0", null, more, undefined, reviews);
    await expect.element(page.getByText("Chance of Tin Whistle: 60 % ± 4.")).toBeVisible();
    expect(one(".chance .line").getAttribute("d")).toMatch(/^M0 40L/);
    const scrubber = page.getByRole("slider", { name: "Position in the game" });
    expect(scrubber.element().getAttribute("aria-valuetext")).toMatch(/Chance of Tin Whistle: 60 % ± 4\.$/);
    expect(all(".mistaken a").map((link) => link.getAttribute("href"))).toEqual([`#${second}`, `#${fourth}`]);
    const { violations } = await axe.run(one(".deck"));
    expect(violations.map(({ id }) => id)).toEqual([]);
  });

  it("leads with m from mistake to mistake, and says what each cost", async () => {
    view(game, "0", null, more, undefined, reviews);
    await expect.element(page.getByRole("navigation", { name: "Mistakes" })).toBeVisible();
    for (const version of [second, fourth, second]) {
      await userEvent.keyboard("m");
      expect(shown()).toBe(version);
    }
    const panel = page.getByRole("region", { name: "Review for Tin Whistle" });
    await expect
      .element(panel.getByRole("status"))
      .toHaveTextContent(
        "Mistake: “Lay the 3” was played. “6 takes 4 on spot 2” is better by 8 percentage points (standard error 2). " +
          "The strong bot plays it too.",
      );
    await expect.element(panel.getByRole("button", { name: "Play on from here" })).toBeVisible();
    await userEvent.keyboard("{ArrowRight}");
    expect(shown()).toBe(third);
    await expect.element(panel.getByRole("button", { name: "Play on from here" })).not.toBeInTheDocument();
  });

  it("leads from mistake to mistake by a button too, also to those whose signs have no room", async () => {
    const narrow = [first, second, third];
    view(game, "0", null, more, undefined, () => Promise.resolve(reviewOf(0, "done", narrow)));
    const next = page.getByRole("button", { name: "Next mistake" });
    await expect.element(next).toBeVisible();
    expect(all(".mistaken a").length).toBeLessThan(narrow.length);
    const places: number[] = [];
    while (places.length < narrow.length) {
      await next.click();
      places.push(shown());
    }
    expect(places).toEqual([second, third, first]);
  });

  it("has no button for a next mistake if it found none", async () => {
    view(game, "0", null, more, undefined, () => Promise.resolve(reviewOf(0, "done")));
    await expect.element(page.getByRole("link", { name: "Whole review" })).toBeVisible();
    await expect.element(page.getByRole("button", { name: "Next mistake" })).not.toBeInTheDocument();
  });

  it("is played on from once, however often the button is clicked, and again after coming back", async () => {
    const fetched = vi.spyOn(window, "fetch").mockImplementation(() => Promise.resolve(Response.json({ url: "#5" })));
    view(game, "0", null, more, undefined, reviews);
    await expect.element(page.getByRole("navigation", { name: "Mistakes" })).toBeVisible();
    await userEvent.keyboard("m");
    const button = page.getByRole("button", { name: "Play on from here" });
    await button.click();
    await expect.element(button).toHaveAttribute("aria-disabled", "true");
    (button.element() as HTMLElement).click();
    expect(fetched).toHaveBeenCalledTimes(1);
    window.dispatchEvent(new Event("pageshow"));
    await expect.element(button).toHaveAttribute("aria-disabled", "false");
    fetched.mockRestore();
  });

  it("is reached by a click on the curve, and by one on a mistake", async () => {
    view(game, "0", null, more, undefined, reviews);
    await expect.element(page.getByRole("navigation", { name: "Mistakes" })).toBeVisible();
    (all(".mistaken a")[1] as HTMLElement).click();
    await expect.poll(shown).toBe(fourth);
    one(".chance").scrollIntoView({ block: "center" });
    const { left, top, width, height } = one(".chance").getBoundingClientRect();
    expect(document.elementFromPoint(left + width / 2, top + height / 2)?.getAttribute("type")).toBe("range");
  });

  it("goes with the eyes of its seat", async () => {
    const asked: number[] = [];
    view(game, "0", null, more, undefined, (seat) => (asked.push(seat), reviews()));
    await expect.element(page.getByRole("navigation", { name: "Mistakes" })).toBeVisible();
    await userEvent.keyboard("0");
    await expect.element(page.getByRole("navigation", { name: "Mistakes" })).not.toBeInTheDocument();
    await userEvent.keyboard("m");
    expect(shown()).toBe(first);
    await userEvent.keyboard("2");
    await expect.poll(() => asked).toEqual([0, 1]);
  });
});

describe("a review that is not there", () => {
  it("is asked for by a button, and its progress is shown", async () => {
    const asked: string[] = [];
    view(game, "1", null, more, undefined, (seat, method) => {
      asked.push(`${method} ${seat}`);
      return Promise.resolve(reviewOf(seat, method === "GET" ? "not_asked" : "computing"));
    });
    await page.getByRole("button", { name: "Review this game for Martha" }).click();
    await expect.element(page.getByRole("progressbar", { name: "Progress of the review" })).toHaveValue(40);
    expect(asked).toEqual(["GET 1", "POST 1"]);
  });

  it("does not move the way to an analysis when it comes, which would lose a press", async () => {
    let answer: (review: Review) => void = () => undefined;
    const later = new Promise<Review>((resolve) => (answer = resolve));
    view(game, "1", null, { ...more, python: { frame: "", wheels: [] } }, undefined, () => later);
    const analyse = page.getByRole("button", { name: "Analyse this moment" });
    await expect.element(analyse).toBeVisible();
    const place = (): number =>
      one(".side").getBoundingClientRect().top - analyse.element().getBoundingClientRect().top;
    const before = place();
    answer(reviewOf(1, "not_asked"));
    await expect.element(page.getByRole("button", { name: "Review this game for Martha" })).toBeVisible();
    expect(place()).toBe(before);
  });

  it("cannot be made of a seat that saw nothing, and says so", async () => {
    view(game, "1", null, more, undefined, (seat) => Promise.resolve(reviewOf(seat, "none")));
    await expect.element(page.getByText("Martha saw nothing of the game that could be reviewed.")).toBeVisible();
    await expect.element(page.getByRole("button", { name: "Review this game" })).not.toBeInTheDocument();
  });

  it("leads who is not signed in there", async () => {
    const out = { ...more, go_on: { ...go_on, signed_in: false }, login: "/account/login/" };
    view(game, "1", null, out, undefined, (seat) => Promise.resolve(reviewOf(seat, "not_asked")));
    await expect
      .element(page.getByRole("link", { name: "Sign in to have this game reviewed" }))
      .toHaveAttribute("href", "/account/login/");
  });
});
