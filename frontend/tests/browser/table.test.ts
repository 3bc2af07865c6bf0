/** The table of a player: what the tray offers, what a touch does, and what the clock shows. */

import { flushSync } from "svelte";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { Clocks, Turn } from "../../src/types";
import { type Golden, golden, type Moment, turnOf } from "./golden";
import { USUAL } from "../shortcuts";
import { all, one, sit } from "./stage";

const heading = (): string => one(".tray h2").textContent ?? "";
const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
const chosen = (): number => all('.hand-card[aria-pressed="true"]').length;

/** Return the first moment at which a seat has a wanted move. */
function momentOf(game: Golden, wanted: (legal: string[]) => boolean): { moment: Moment; seat: number } {
  for (const moment of game.moments) {
    const seat = moment.seats.findIndex(({ legal }) => wanted(legal));
    if (seat >= 0) return { moment, seat };
  }
  throw new Error("It never comes to that.");
}

const any =
  (verb: string) =>
  (legal: string[]): boolean =>
    legal.some((move) => move.startsWith(verb));
const ten = golden("chinese_ten", 2);
const capture = momentOf(ten, any("capture"));

beforeEach(() => page.viewport(1280, 900));

describe("a touch", () => {
  it("of one card after the other chooses three for the upper palace", async () => {
    const game = golden("palace", 2);
    const { moment, seat } = momentOf(game, any("palace"));
    const { posts } = sit(game, moment, seat, { after: game.moments[1] as Moment });
    expect(heading()).toBe("Your turn");
    for (let card = 0; card < 3 && !posts.length; card++) {
      expect(chosen()).toBe(card);
      const open = all(".hand-card.on");
      await userEvent.click(open[open.length - 1] as HTMLElement);
    }
    await expect.poll(() => posts.length).toBe(1);
    expect(moment.seats[seat]?.legal).toContain(posts[0]?.body.move);
    expect(posts[0]).toMatchObject({ path: "moves/", body: { expected_version: moment.version } });
  });

  it("of a card that may not be played is answered with the clause, and takes no room from the board", async () => {
    const why = { sentence: "You can capture a card, so you cannot lay one.", clause: "CT-7" };
    const { posts, asked } = sit(ten, capture.moment, capture.seat, { why });
    const high = one(".tray").offsetHeight;
    await userEvent.click(one(".hand-card.off"));
    await expect.element(page.getByText(why.sentence)).toBeVisible();
    await expect
      .element(page.getByRole("link", { name: "Rule CT-7" }))
      .toHaveAttribute("href", "/rules/chinese_ten/#ct-7");
    expect(asked[0]).toMatch(/^lay /);
    expect(one(".tray").offsetHeight).toBe(high);
    expect(posts).toEqual([]);
  });

  it("of a card and a spot plays that capture", async () => {
    const { posts } = sit(ten, capture.moment, capture.seat);
    const move = capture.moment.seats[capture.seat]?.legal.find((each) => each.startsWith("capture")) ?? "";
    const [, card = "", spot = ""] = move.split(" ");
    await userEvent.click(one(`.hand-card.on[data-thing^="hand:${card}~"]`));
    if (!posts.length) await userEvent.click(one(`.thing.offer[data-thing="spot:${spot}"]`));
    await expect.poll(() => posts.map(({ body }) => body.move)).toEqual([move]);
  });

  it("of a rank and a seat asks for it", async () => {
    const game = golden("platinum_fish", 2);
    const { moment, seat } = momentOf(game, any("ask"));
    const { posts } = sit(game, moment, seat);
    const [, whom = "", rank = ""] = (moment.seats[seat]?.legal.find((each) => each.startsWith("ask")) ?? "").split(
      " ",
    );
    await userEvent.click(one(`.hand-card.on[data-thing^="seat:${whom}"]`));
    if (!posts.length) await userEvent.click(one(`.hand-card.on[data-thing^="rank:${rank}~"]`));
    await expect.poll(() => posts.map(({ body }) => body.move)).toEqual([`ask ${whom} ${rank}`]);
  });

  it("of cards and of the button plays cards of equal rank in Plates", async () => {
    const game = golden("plates", 2);
    const { moment, seat } = momentOf(game, any("place"));
    const { posts } = sit(game, moment, seat);
    await userEvent.click(one(".hand-card.on"));
    const moves = all(".moves [data-move]");
    if (!posts.length) await userEvent.click(moves[0] as HTMLElement);
    await expect.poll(() => posts.length).toBe(1);
    expect(moment.seats[seat]?.legal).toContain(posts[0]?.body.move);
  });

  it("of a rim and a plate puts the one under the other", async () => {
    const game = golden("plate_spinner", 2);
    const { moment, seat } = momentOf(game, any("attach"));
    const { posts } = sit(game, moment, seat);
    const [, rim = "", plate = ""] = (moment.seats[seat]?.legal.find((each) => each.startsWith("attach")) ?? "").split(
      " ",
    );
    for (const thing of [rim, plate])
      if (!posts.length) await userEvent.click(one(`.thing[data-thing="plate:${thing}"]`));
    await expect.poll(() => posts.map(({ body }) => body.move)).toEqual([`attach ${rim} ${plate}`]);
  });
});

describe("a confirmed move", () => {
  it("is laid out first, can be put back, and is sent by a second touch", async () => {
    const { posts } = sit(ten, capture.moment, capture.seat, { confirm: true });
    await expect.element(page.getByRole("checkbox", { name: "Confirm my moves" })).toBeChecked();
    const asks = page.getByRole("group", { name: "Confirm your move" });
    const lay = async (): Promise<string> => {
      await page.getByText("All moves in words").click();
      const move = one(".allmoves [data-move]");
      await userEvent.click(move);
      return move.textContent ?? "";
    };
    const words = await lay();
    await expect.element(asks.getByRole("button").first()).toHaveTextContent(words);
    expect(posts).toEqual([]);
    await userEvent.keyboard("{Escape}");
    await expect.element(asks).not.toBeInTheDocument();
    await lay();
    await asks.getByRole("button").first().click();
    await expect.poll(() => posts.length).toBe(1);
  });
});

describe("the keys", () => {
  it("alone make a move", async () => {
    const { posts } = sit(ten, capture.moment, capture.seat);
    await userEvent.keyboard("?");
    await expect.element(page.getByRole("dialog", { name: "Shortcuts" })).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await expect.element(page.getByRole("dialog", { name: "Shortcuts" })).not.toBeInTheDocument();
    for (let press = 0; press < 12 && !posts.length; press++) await userEvent.keyboard("{ArrowRight}{Enter}");
    expect(capture.moment.seats[capture.seat]?.legal).toContain(posts[0]?.body.move);
  });

  it("of a single character do nothing where they are switched off, and the list of keys says so", async () => {
    sit(ten, capture.moment, capture.seat, { confirm: true, page: { shortcuts: { ...USUAL, on: false } } });
    const card = one(".hand-card.on").dataset.thing?.split(":")[1]?.[0] ?? "";
    await userEvent.keyboard(`${card.toLowerCase()}?`);
    expect(chosen() + all(".thing.chosen").length + all('[aria-label="Confirm your move"]').length).toBe(0);
    await page.getByRole("button", { name: "Shortcuts" }).click();
    const keys = page.getByRole("dialog", { name: "Shortcuts" });
    await expect.element(keys.getByRole("link", { name: "Change or switch off" })).toBeVisible();
    await expect.element(keys).not.toHaveTextContent("card of that rank");
  });

  it("of a rank touches the card", async () => {
    sit(ten, capture.moment, capture.seat, { confirm: true });
    const card = one(".hand-card.on").dataset.thing?.split(":")[1]?.[0] ?? "";
    await userEvent.keyboard(card.toLowerCase());
    expect(chosen() + all(".thing.chosen").length + all('[aria-label="Confirm your move"]').length).toBeGreaterThan(0);
  });
});

describe("what goes wrong", () => {
  it("is told and the move sent again with the same key where there was no answer", async () => {
    const { posts } = sit(ten, capture.moment, capture.seat, { answers: [null, null] });
    await page.getByText("All moves in words").click();
    await userEvent.click(one(".allmoves [data-move]"));
    await expect.poll(() => posts.length).toBe(3);
    expect(new Set(posts.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it.each([
    [409, "stale_version", "The game changed before your move arrived"],
    [403, "not_signed_in", "You are logged out"],
    [500, "broken", "Something went wrong"],
  ])("is said in words: %i %s", async (status, code, words) => {
    const body = code === "broken" ? {} : { error: { status, code, sentence: "No." } };
    sit(ten, capture.moment, capture.seat, { answers: [{ status, body }] });
    await page.getByText("All moves in words").click();
    await userEvent.click(one(".allmoves [data-move]"));
    await expect.element(page.getByText(words)).toBeVisible();
    if (code === "not_signed_in")
      await expect.element(page.getByRole("link", { name: "Log in" })).toHaveAttribute("href", "/accounts/login/");
  });

  it("shows a lost connection and a page that is of an earlier build", () => {
    const { controller } = sit(ten, capture.moment, capture.seat);
    expect(one(".tabletop").dataset.link).toBe("opening"); // until the stream has begun
    flushSync(() => controller.change({ link: "lost" }));
    expect(one(".tray .link").textContent).toContain("The connection is lost");
    expect(one(".tabletop").dataset.link).toBe("lost");
    flushSync(() => controller.change({ link: "open", stale: true }));
    expect(one(".tray .link").textContent).toContain("Scorebook has been updated");
    expect(button("Reload").elements()).toHaveLength(1);
  });
});

describe("Plate Spinner", () => {
  const game = golden("plate_spinner", 2);
  const [begin] = game.moments as [Moment];
  const dice = String((begin.public.players as { dice: string }[])[0]?.dice);
  const beats: Partial<Turn> = { pace: "beats", beat: 1 };

  it("rolls all dice, or the others than those that are held", async () => {
    const { posts } = sit(game, begin, 0, { turn: beats });
    await userEvent.click(one(".hand-card"));
    await button("Roll the other 2").click();
    await expect.poll(() => posts.length).toBe(1);
    expect(posts[0]).toMatchObject({ path: "bundles/", body: { beat: 1, moves: [`roll ${dice.slice(1)}`] } });
  });

  it("shows a bundle that is given, and lets it be changed", async () => {
    sit(game, begin, 0, {
      turn: { ...beats, given: [`roll ${dice}`], given_words: ["Roll all 3 dice"], waiting_for: [1] },
    });
    expect(heading()).toBe("Moves submitted");
    expect(one(".tray .need").textContent).toBe("Roll all 3 dice · waiting for Martha");
    await button("Change moves").click();
    expect(heading()).toBe("Your moves, all at the same time");
    expect(button(`Roll all ${dice.length}`).elements()).toHaveLength(1);
  });

  it("puts a die on a plate and goes on with the bundle", async () => {
    const { moment, seat } = momentOf(game, any("assign"));
    const legal = turnOf(moment, seat).legal.map((move) => ({ ...move, goes_on: move.move.startsWith("assign") }));
    const after: string[] = [];
    const trial = (moves: readonly string[]): Turn => (
      after.push(...moves),
      { ...turnOf(moment, seat, beats), legal: [], observation: moment.seats[seat]?.seen ?? {} }
    );
    const { posts } = sit(game, moment, seat, { turn: { ...beats, legal }, trial });
    const [, die = "", place = ""] = (legal.find(({ goes_on }) => goes_on)?.move ?? "").split(" ");
    await userEvent.click(one(`.hand-card[data-thing^="die:${die}~"]`));
    await userEvent.click(one(`.plate .thing[data-thing="plate:${place.split(".")[0]}"]`));
    await expect.poll(heading).toBe("Your bundle");
    expect([after, posts]).toEqual([[expect.stringMatching(`^assign ${die} `)], []]);
    await button("Undo last").click();
    await expect.poll(heading).toBe("Your moves, all at the same time");
  });

  it("rolls no faster than it may", async () => {
    vi.useFakeTimers({ now: Date.now() });
    try {
      const roll = { move: `roll ${dice}`, wait_ms: 700 };
      const { posts } = sit(game, begin, 0, { turn: { pace: "live", any_of: roll } });
      expect(one(".btn.roll").ariaDisabled).toBe("true");
      one(".btn.roll").click();
      expect(posts).toEqual([]);
      vi.advanceTimersByTime(701);
      flushSync();
      expect(one(".btn.roll").ariaDisabled).toBe("false");
      one(".btn.roll").click();
      expect(posts.map(({ body }) => body.move)).toEqual([roll.move]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("waits for everybody, then counts down to GO", async () => {
    const before = { ready: [] as number[], countdown: false, begins_at: null };
    const { posts } = sit(game, begin, 0, { turn: { pace: "live", may_act: false, before_go: before } });
    expect([heading(), one(".felt").textContent?.trim()]).toEqual([
      "The game has not begun",
      "The table appears when all players are ready.",
    ]);
    await button("I am ready").click();
    expect(posts.map(({ path }) => path)).toEqual(["ready/"]);
    const at = Date.now();
    const clock: Clocks = {
      kind: null,
      at: new Date(at).toISOString(),
      deadline: new Date(at + 9000).toISOString(),
      seats: [],
    };
    sit(game, begin, 0, { turn: { pace: "live", may_act: false, before_go: { ...before, countdown: true }, clock } });
    expect(heading()).toBe("Get ready");
    expect(Number(one(".gocount [role=timer]").textContent)).toBeGreaterThanOrEqual(8);
  });
});

describe("leaving and coming together", () => {
  it("resigns after being asked twice", async () => {
    const { posts } = sit(ten, capture.moment, capture.seat);
    await button("Resign…").click();
    expect(posts).toEqual([]);
    await button("Play on").click();
    await button("Resign…").click();
    await button("Resign the game").click();
    expect(posts.map(({ path }) => path)).toEqual(["resign/"]);
  });

  it("asks before it aborts a game at once, because nobody else has to agree", async () => {
    const may = { resign: true, offer_abort: true, abort_ends_game: true, rematch: false };
    const { posts } = sit(ten, capture.moment, capture.seat, { turn: { may } });
    await button("Abort…").click();
    expect(posts).toEqual([]);
    expect(one("[aria-label='This table']").textContent).toContain("the game ends at once, without a result");
    await button("Abort the game").click();
    expect(posts.map(({ path }) => path)).toEqual(["offer-abort/"]);
  });

  it("shows an offer to abort to both, each with their own words", async () => {
    const offer = { what: "abort" as const, by: [1], declined: [] };
    const { posts } = sit(ten, capture.moment, 0, { turn: { offers: [offer] } });
    expect(one(".proposal").textContent).toContain("Martha proposes to abort the game");
    expect(button("Propose to abort").elements()).toEqual([]);
    await button("Abort the game").click();
    expect(posts.map(({ path }) => path)).toEqual(["accept-abort/"]);
    sit(ten, capture.moment, 1, { turn: { offers: [offer] } });
    expect(one(".proposal").textContent).toContain("You propose to abort the game");
    expect(button("Abort the game").elements()).toEqual([]);
  });

  it("tells how the game ended, and offers a rematch", async () => {
    const end = ten.moments[ten.moments.length - 1] as Moment;
    const over = {
      words: "Martha wins.",
      result: { termination: "played", scores: [45, 60], placings: [2, 1] },
      rematch: null,
    };
    const may = { resign: false, offer_abort: false, abort_ends_game: false, rematch: true };
    const turn = { over, may, offers: [{ what: "rematch" as const, by: [1], declined: [] }] };
    const { posts } = sit(ten, end, 0, { turn });
    expect([heading(), one(".tray .need").textContent]).toEqual(["The game is over", "Martha wins."]);
    expect(one(".ended li.own").textContent?.replace(/\s+/g, " ")).toMatch(/^2\. .*45$/);
    expect(one(".ended").textContent).toContain("Martha offers a rematch");
    await button("No, thanks").click();
    await button("Rematch").click();
    expect(posts.map(({ path }) => path)).toEqual(["decline-rematch/", "rematch/"]);
  });

  it("leads after the game to the next one, the review and the match", () => {
    const end = ten.moments[ten.moments.length - 1] as Moment;
    const over = { words: "Martha wins.", result: null, rematch: null };
    const { controller } = sit(ten, end, 0, { turn: { over } });
    const links = (): string[] => all(".ended a").map((link) => link.textContent?.trim() ?? "");
    expect(links()).toEqual(["Replay", "My games"]);
    const [next, match] = ["Plates with Laura", "Autumn, round 3"].map((words) => ({ words, address: "/" }));
    controller.change({ after: { next: next ?? null, review: "/games/7F3K0000/review/0/", match: match ?? null } });
    flushSync();
    expect(links()).toEqual(["Next game: Plates with Laura", "Review my game", "Replay", "Match", "My games"]);
  });

  it("shows who is here", () => {
    sit(ten, capture.moment, 0, { turn: { present: [0] } });
    expect(all(".sheet td.caption").map((cell) => cell.textContent?.trim())).toEqual(["here", "away"]);
  });
});

describe("the clock", () => {
  const clocks = (move_ms: number, bank_ms: number, more: object = {}): Clocks => ({
    kind: "live",
    at: new Date().toISOString(),
    deadline: null,
    seats: [0, 1].map((seat) => ({
      seat,
      running: seat === capture.seat,
      move_ms,
      bank_ms,
      deadline: null,
      paused: "",
      ...more,
    })),
  });
  const own = (): HTMLElement => one(".tray .clock");

  it("of one's own counts down in the tray, is marked when little is left, and is said aloud", async () => {
    vi.useFakeTimers({ now: Date.now() });
    try {
      sit(ten, capture.moment, capture.seat, { turn: { clock: clocks(31_000, 0) } });
      expect(own().textContent).toContain("0:31");
      expect(own().classList.contains("low")).toBe(false);
      vi.advanceTimersByTime(1500);
      flushSync();
      expect(own().textContent).toContain("0:30");
      expect(one(".tray [aria-live=assertive]").textContent).toBe("30 seconds left.");
      vi.advanceTimersByTime(20_000);
      flushSync();
      expect(own().classList.contains("low")).toBe(true);
      expect(one(".tray [aria-live=assertive]").textContent).toBe("10 seconds left.");
    } finally {
      vi.useRealTimers();
    }
  });

  it("of each player stands at the seat, and says why it stands still", () => {
    sit(ten, capture.moment, capture.seat, { turn: { clock: clocks(60_000, 120_000, { paused: "vacation" }) } });
    expect(all(".seat .clock")).toHaveLength(2);
    expect(own().textContent).toContain("stopped: on vacation");
  });
});
