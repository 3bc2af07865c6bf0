/** The card with the result: a finished game opens on it, and it leaves the table free when one goes on. */

import { page } from "vitest/browser";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { chainOf } from "../../src/explain/names";
import { winners } from "../../src/result/celebrate";
import { fillIn } from "../../src/result/section";
import { golden, replayOf } from "./golden";
import { all, one, prefer, RESULT, view } from "./stage";

const game = golden("chinese_ten", 2);
const last = game.moments[game.moments.length - 1]?.version ?? 0;
const card = (): HTMLElement[] => all("[role=dialog].outcome");

async function opened(): Promise<ReturnType<typeof view>> {
  await import("../../src/result/outcome"); // it comes after the first drawing
  const viewed = view(game, "all", last, { result: true });
  await expect.poll(() => card().length).toBe(1);
  return viewed;
}

describe("the result of a finished game", () => {
  it("lies over the table with the words of the page, and its heading has the focus", async () => {
    await opened();
    expect(one("[role=dialog] h2").textContent).toBe("Martha wins with 40.");
    expect(document.activeElement).toBe(one("#result-h"));
  });

  it("closes by Escape, which leaves the focus on what opens it again, and its words on the page", async () => {
    await opened();
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    await expect.poll(() => document.activeElement?.textContent).toBe("Result");
    expect(card()).toEqual([]);
    expect(one("#replay").nextElementSibling).toBe(one("#result"));
    await page.getByRole("button", { name: "Result" }).click();
    expect(card()).toHaveLength(1);
  });

  it("makes room for the first step by one key, and does not come again by itself", async () => {
    const { controller } = await opened();
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Home" }));
    await expect.poll(() => card().length).toBe(0);
    expect(controller.at).toBe(0);
    controller.go(controller.replay.frames.length - 1);
    await expect.poll(() => card().length).toBe(0);
  });

  it("shows a moment that mattered on the board", async () => {
    const { controller } = await opened();
    await page.getByRole("link", { name: "Show me" }).click();
    expect(controller.replay.frames[controller.at]?.version).toBe(8);
    await expect.poll(() => card().length).toBe(0);
  });
});

describe("a result that is not complete yet", () => {
  const fresh = (words: string): string =>
    `<section data-fresh="result"><h2 id="result-h" tabindex="-1">${words}</h2><a href="#x">More</a></section>`;
  /** Let one question be answered with these words. */
  async function answered(words: string): Promise<void> {
    one("#result").dataset.waits = "";
    let ask: () => void = () => undefined;
    fillIn(() => Promise.resolve(fresh(words)), ((call: () => void) => ((ask = call), 0)) as typeof window.setTimeout);
    ask();
    await new Promise((later) => setTimeout(later));
  }

  it("is completed while its heading has the focus, which stays there", async () => {
    await opened();
    await answered("Martha wins with 40. Luck: 3.");
    expect(document.activeElement?.textContent).toBe("Martha wins with 40. Luck: 3.");
  });

  it("stays as it is while the reader is anywhere else in it", async () => {
    await opened();
    one("#result a").focus();
    await answered("Other words.");
    expect(one("#result-h").textContent).toBe("Martha wins with 40.");
  });
});

describe("the card over the table", () => {
  it("is no thing of the table, so no tip about a seat covers what can be clicked", async () => {
    await opened();
    const row = one(".result-card [data-seat]");
    expect(chainOf(row, document.body)).toEqual([]);
  });
});

describe("sharing a result", () => {
  const said = (): string => one("[role=dialog] .ways [role=status]").textContent ?? "";
  const offer = (share: unknown): void =>
    void Object.defineProperty(navigator, "share", { value: share, configurable: true });

  afterEach(() => {
    delete (navigator as { share?: unknown }).share;
    vi.restoreAllMocks();
  });

  it("uses what the device has for it, and copies nothing then", async () => {
    const share = vi.fn(() => Promise.resolve());
    const copy = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    offer(share);
    await opened();
    await page.getByRole("button", { name: "Share" }).click();
    await expect.poll(() => share.mock.calls.length).toBe(1);
    expect(copy).not.toHaveBeenCalled();
    expect(said()).toBe("");
  });

  it("copies the link and says so where the device refuses, or has nothing", async () => {
    const copy = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    offer(() => Promise.reject(new DOMException("", "NotAllowedError")));
    await opened();
    await page.getByRole("button", { name: "Share" }).click();
    await expect.poll(said).toBe("The link has been copied.");
    expect(copy).toHaveBeenCalledOnce();
  });

  it("says nothing when the person closes the device's list", async () => {
    const copy = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    const share = vi.fn(() => Promise.reject(new DOMException("", "AbortError")));
    offer(share);
    await opened();
    await page.getByRole("button", { name: "Share" }).click();
    await expect.poll(() => share.mock.calls.length).toBe(1);
    expect([said(), copy.mock.calls]).toEqual(["", []]);
  });
});

describe("who celebrates", () => {
  it("does so before those who watched the game to its end", async () => {
    await prefer("no-preference");
    onTestFinished(() => void prefer("reduce"));
    const pieces = new Promise<number>((seen) => {
      const watcher = new MutationObserver(() => {
        const number = all(".celebration > span").length;
        if (number) seen(number);
      });
      watcher.observe(document, { childList: true, subtree: true });
      onTestFinished(() => watcher.disconnect());
    });
    await import("../../src/result/outcome");
    const { controller } = view(game, "public", null, {}, replayOf(game, "public", game.moments.slice(0, -1)));
    one("#replay").insertAdjacentHTML("afterend", RESULT);
    const replay = replayOf(game, "public");
    const outcome = { termination: "played", scores: [25, 40], placings: [2, 1] };
    controller.extend({ ...replay, game: { ...replay.game, outcome } });
    controller.change({ page: { ...controller.page, result: true } });
    expect(await pieces).toBe(14);
    await expect.poll(() => all(".celebration").length, { timeout: 5000 }).toBe(0);
  });

  it("is whoever came first, and nobody where all did or the game was aborted", () => {
    expect(winners({ placings: [2, 1, 2] })).toEqual([1]);
    expect(winners({ placings: [1, 1, 3] })).toEqual([0, 1]);
    expect(winners({ placings: [1, 1] })).toEqual([]);
    expect(winners({ placings: [] })).toEqual([]);
  });
});
