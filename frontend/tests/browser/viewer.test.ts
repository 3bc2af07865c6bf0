/** The viewer's controls, by mouse and by keyboard. */

import { flushSync } from "svelte";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { applyNews } from "../../src/news";
import { golden, PAGE, replayOf, seenBy } from "./golden";
import { all, cards, one, view } from "./stage";

const game = golden("chinese_ten", 2);
const versions = game.moments.map(({ version }) => version);
const [first = 0, second = 0, third = 0, fourth = 0] = versions;
const last = versions[versions.length - 1] ?? 0;
const beforeLast = versions[versions.length - 2] ?? 0;
const shown = (): number => Number(one(".list [aria-current] i").textContent);
const viewpoint = (): string | undefined => one(".viewpoint [aria-pressed=true]").dataset.viewpoint;
const hands = (): string[][] => [0, 1].map((seat) => cards(one(`[data-seat="${seat}"] .shown`)));

beforeEach(() => page.viewport(1280, 900));

describe("the buttons", () => {
  it("step on, back, to the end and to the start", async () => {
    view(game, "public");
    for (const [name, version] of [
      ["Next step", second],
      ["Next step", third],
      ["Previous step", second],
      ["Last step", last],
      ["Previous step", beforeLast],
      ["First step", first],
    ] as const) {
      await page.getByRole("button", { name, exact: true }).click();
      expect(shown(), name).toBe(version);
    }
    await expect.element(page.getByRole("button", { name: "Previous step" })).toHaveAttribute("aria-disabled", "true");
  });

  it("play to the end at a speed, and can be stopped", async () => {
    view(game, "public", beforeLast);
    await page.getByRole("button", { name: "8×" }).click();
    await page.getByRole("button", { name: "Play" }).click();
    await expect.poll(shown).toBe(last);
    await expect.element(page.getByRole("button", { name: "Play" })).toBeVisible();
    await page.getByRole("button", { name: "½×" }).click();
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    expect(shown()).toBe(first);
  });

  it("of eyes open and close the hands", async () => {
    const moment = game.moments[5];
    if (!moment) throw new Error("The game is too short.");
    view(game, "public", moment.version);
    expect(hands().map((hand) => new Set(hand))).toEqual([new Set(["back"]), new Set(["back"])]);
    await page.getByRole("button", { name: "All cards" }).click();
    await expect.poll(viewpoint).toBe("all");
    const open = seenBy(moment, "all").hands as string[][];
    expect(hands()).toEqual(open);
    await page.getByRole("button", { name: "Martha", exact: true }).click();
    await expect.element(page.getByText("this view")).toBeVisible();
    expect(hands()).toEqual([(open[0] ?? []).map(() => "back"), open[1]]);
  });

  it("of eyes that are not open yet cannot be pressed", async () => {
    const on = replayOf(game, "public", game.moments.slice(0, 5));
    const viewed = view(game, "public", null, {}, on);
    await expect.element(page.getByRole("button", { name: "All cards" })).toBeDisabled();
    const live = page.getByRole("button", { name: /^Live/ });
    await expect.element(live).toHaveAttribute("aria-pressed", "true");
    flushSync(() => viewed.controller.go(0));
    await expect.element(live).toHaveTextContent("Live+4");
    await live.click();
    expect(shown()).toBe(versions[4]);
  });
});

it("a game is continued against the first bot where the usual one does not play its kind", async () => {
  const bots = ["random", "strong"].map((program) => ({ program, name: program }));
  const sent: string[] = [];
  vi.stubGlobal("fetch", (_address: string, { body }: { body: string }) => {
    sent.push((JSON.parse(body) as { program: string }).program);
    return Promise.reject(new Error("no connection"));
  });
  view(game, "0", second, { go_on: { post: "/continue/", signed_in: true, bots } });
  await page.getByText("Continue from here").click();
  await page.getByRole("button", { name: /^Play as/ }).click();
  vi.unstubAllGlobals();
  expect(sent).toEqual(["random"]);
});

describe("the keys", () => {
  it("step, choose eyes and show what they do", async () => {
    view(game, "public");
    for (const [key, version] of [
      ["{ArrowRight}", second],
      ["j", third],
      ["k", second],
      ["{End}", last],
      ["{Home}", first],
    ] as const) {
      await userEvent.keyboard(key);
      expect(shown(), key).toBe(version);
    }
    for (const [key, chosen] of [
      ["1", "0"],
      ["2", "1"],
      ["f", "0"],
      ["a", "all"],
      ["0", "public"],
    ] as const) {
      await userEvent.keyboard(key);
      await expect.poll(viewpoint).toBe(chosen);
      expect(shown()).toBe(first);
    }
    await userEvent.keyboard("?");
    await expect.element(page.getByRole("dialog", { name: "Shortcuts" })).toBeVisible();
    await userEvent.keyboard("{ArrowRight}");
    expect(shown()).toBe(first);
    await userEvent.keyboard("{Escape}");
    await expect.element(page.getByRole("dialog", { name: "Shortcuts" })).not.toBeInTheDocument();
  });

  it("are the scrubber's own where it has the focus, and it says where it is", async () => {
    view(game, "public");
    const scrubber = page.getByRole("slider", { name: "Position in the game" });
    (scrubber.element() as HTMLElement).focus();
    await userEvent.keyboard("{ArrowRight}");
    expect(shown()).toBe(second);
    const said = one("[data-live]").textContent?.trim() ?? "";
    expect(said).not.toBe("");
    expect(scrubber.element().getAttribute("aria-valuetext")).toBe(
      `Step ${second} of ${last}: ${said} Points: Tin Whistle 0, Martha 0`.replace(/ {2,}/g, " "),
    );
    await userEvent.keyboard("{End}");
    expect(shown()).toBe(last);
  });
});

describe("a moment", () => {
  it("is reached by its line and by the address, and writes its own", async () => {
    const viewed = view(game, "1", third);
    expect(shown()).toBe(third);
    (all(".list a")[3] as HTMLElement).click();
    flushSync();
    expect(shown()).toBe(fourth);
    expect(viewed.remembered).toEqual([`1#${fourth}`]);
    const field = page.getByRole("textbox", { name: "Link to this moment in this view" });
    await expect.element(field).toBeVisible(); // it comes after the first drawing
    expect(new URL((field.element() as HTMLInputElement).value).hash).toBe(`#${fourth}`);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    expect(viewed.copied).toEqual([`https://house.example/games/7F3K0000/?viewpoint=1#${fourth}`]);
    window.dispatchEvent(new HashChangeEvent("hashchange", { newURL: `https://house.example/#${last}` }));
    await vi.waitFor(() => expect(shown()).toBe(last));
  });

  it("has its line in sight in the list, also if lines above were never drawn and are taller", async () => {
    const replay = replayOf(game, "public");
    const why = {
      words: "It takes nothing, so it goes to the empty spot with the lowest number. ".repeat(3),
      clause: "CT-9",
    };
    const frames = replay.frames.map((frame) => ({ ...frame, why }));
    for (const at of [Math.floor(frames.length / 2), frames.length - 2]) {
      view(game, "public", versions[at], {}, { ...replay, frames });
      await expect.poll(() => one(".list").scrollTop).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 500)); // the lines round it are drawn meanwhile
      const [list, line] = [".list", ".list [aria-current]"].map((each) => one(each).getBoundingClientRect());
      expect([line!.top >= list!.top - 1, line!.bottom <= list!.bottom + 1], String(at)).toEqual([true, true]);
    }
  });

  it("has a code for another page, where there is one to embed", async () => {
    view(game, "1", third);
    await expect.poll(() => all("textarea").length).toBe(1); // it comes after the first drawing
    expect((one("textarea") as HTMLTextAreaElement).value).toContain(`${PAGE.embed}?viewpoint=1#${third}"`);
  });
});

it("an embedded replay is the board and its controls alone", () => {
  view(game, "0", third, { embedded: true });
  expect(all("#replay > *").map((part) => part.className)).toEqual(expect.arrayContaining(["felt", "deck"]));
  expect(all(".side")).toEqual([]);
});

describe("the check of a game", () => {
  it("says of both places that it could not be made", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("network error")));
    view(game, "public", null, { seal: { sound: true, sentence: "", how: "/fairness/" }, verify: "/verify/" });
    await page.getByRole("button", { name: "Verify it yourself" }).click();
    for (const place of ["On your own machine", "On the server"]) {
      await expect.element(page.getByText(`${place}: The data for the check could not be loaded.`)).toBeVisible();
    }
    vi.unstubAllGlobals();
  });
});

it("has a theatre, in which the table has the whole window, by key and by button", async () => {
  await page.viewport(1280, 720);
  view(golden("chinese_ten", 2), "public", 9);
  const side = one(".side");
  await userEvent.keyboard("z");
  const beside = (): boolean[] => [side.checkVisibility(), one(".masthead").checkVisibility()];
  await expect.poll(beside).toEqual([false, false]); // the key loads the theatre first
  expect(one(".felt").getBoundingClientRect().width).toBeGreaterThan(1200);
  await page.getByRole("button", { name: "Theatre" }).click();
  expect([side.checkVisibility(), document.documentElement.className]).toEqual([true, ""]);
});

it("has no controls on the page for broadcasters, and the last step in words", async () => {
  await page.viewport(1920, 1080);
  view(golden("chinese_ten", 2), "public", 9, { embedded: true, broadcast: true });
  expect(all("input, button")).toEqual([]);
  expect(one(".deck .now").textContent).toContain("Tin Whistle");
});

it("shows those who watch the clock that runs, and none of a moment before or of a watcher who is late", async () => {
  const running =
    (seenBy(game.moments[4] as (typeof game.moments)[number], "public") as { to_act: number[] }).to_act[0] ?? 0;
  const replay = replayOf(game, "public", game.moments.slice(0, 5));
  const clocks = [0, 1].map((seat) => ({
    ...{ seat, running: seat === running, move_ms: 61_000, bank_ms: 0, deadline: null, paused: "" },
  }));
  replay.game = {
    ...replay.game,
    status: "playing",
    seats: replay.game.seats.map((seat) => ({ ...seat, bot: false })),
    clock: { kind: "live", at: new Date().toISOString(), deadline: null, seats: clocks },
  };
  const { controller } = view(game, "public", null, {}, replay);
  await expect.poll(() => all(".seat .clock").map((each) => each.textContent)).toEqual([expect.stringMatching(/1:0/)]);
  controller.step(-1);
  flushSync();
  expect(all(".seat .clock")).toEqual([]);
  controller.step(1);
  const news = { since: replay.version, version: replay.version + 1, frames: replay.frames.slice(-1), scores: [] };
  controller.extend(applyNews(replay, news));
  flushSync();
  expect(all(".seat .clock")).toEqual([]);
});
