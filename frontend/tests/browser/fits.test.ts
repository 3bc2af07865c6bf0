/**
 * The whole table fits into the window at the fullest moment of a golden game, on a laptop and on a phone.
 * tests/browser/test_fits.py tests more sizes and whole pages (`bin/dev test --all`).
 */

import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import dragged from "./dragged.js?raw";
import faults from "./faults.js?raw";
import { type Golden, golden, KINDS, type Moment, orEvery, sizes } from "./golden";
import { all, one, sit, view } from "./stage";

const WINDOWS = [
  [1280, 720],
  [360, 740],
] as const;

const expression = (text: string): unknown => (0, eval)(text); // one expression each, also for Playwright
const faultsOf = expression(faults) as (at: { atTable: boolean }) => string[];
const draggedOf = expression(dragged) as (at: { positions: number }) => Promise<string[]>;
const drawn = (): Promise<void> =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));

/** Return the moment at which a seat has the most things on the table and a choice to make. */
function fullest(game: Golden): { moment: Moment; seat: number } {
  const choices = game.moments.flatMap((moment) =>
    moment.seats.flatMap(({ seen, legal }, seat) =>
      legal.length > 1 ? [{ moment, seat, weight: weightOf(game.kind, seen, seat) }] : [],
    ),
  );
  return choices.reduce((best, each) => (each.weight > best.weight ? each : best));
}

interface Own {
  plates: unknown[];
  dice: string;
  hand: string[];
  primary: string[];
  revealed: string[];
}

function weightOf(kind: string, seen: Record<string, unknown>, seat: number): number {
  const own = ((seen.players ?? seen.seats) as Own[])[seat] as Own;
  if (kind === "plate_spinner")
    return 100 * own.plates.length + 10 * (seen.market as unknown[]).length + own.dice.length;
  const hand =
    kind === "palace" ? own.hand : kind === "plates" ? [...own.primary, ...own.revealed] : (seen.hand as string[]);
  return 100 * hand.length + JSON.stringify(seen).length / 100;
}

/** Return the serious and critical faults that axe finds. The lines of a list of moves are alike: some are enough. */
async function grave(): Promise<string[]> {
  const most = { include: "main", exclude: ".list li:nth-child(n + 13)" };
  const found = await axe.run(most, { resultTypes: ["violations"], preload: false });
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe("a full table fits the window with all that is one's own, and axe finds nothing grave at it", () => {
  it.each(KINDS)("%s", async (kind) => {
    const game = golden(kind, Math.max(...sizes(kind)));
    const { moment, seat } = fullest(game);
    const wrong: string[] = [];
    for (const atTable of [false, true]) {
      for (const [width, height] of WINDOWS) {
        await page.viewport(width, height);
        if (atTable) sit(game, moment, seat);
        else view(game, "all", moment.version, { seat });
        await drawn();
        one(".viewer").scrollIntoView();
        if (atTable && width > 1000) wrong.push(...(await grave()));
        wrong.push(
          ...faultsOf({ atTable }).map((fault) => `${atTable ? "table" : "replay"}, ${width} × ${height}: ${fault}`),
        );
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("a replay's controls stay in the window, and its board on a felt that only grows, at every position", () => {
  const some = [
    ["palace", 6],
    ["plate_spinner", 2],
  ] as const;
  const every = [...some, ["palace", 2], ["platinum_fish", 2]] as const;
  it.each(orEvery(some, every))("of %s for %i", async (kind, seats) => {
    for (const [width, height] of WINDOWS) {
      await page.viewport(width, height);
      view(golden(kind, seats), "all", 1, { seat: 1 });
      await drawn();
      expect(await draggedOf({ positions: 10 })).toEqual([]);
    }
  });
});

it("neither a board nor a table in the middle of a game makes the narrowest phone scroll sideways", async () => {
  await page.viewport(320, 800);
  for (const kind of KINDS) {
    const game = golden(kind, 2);
    const { moment, seat } = fullest(game);
    for (const atTable of [false, true]) {
      if (atTable) sit(game, moment, seat);
      else view(game, "0", moment.version);
      await drawn();
      const beyond =
        document.documentElement.scrollWidth > 320
          ? all("main *").filter((each) => each.getBoundingClientRect().right > 320)
          : [];
      expect(
        beyond.map((each) => `${each.className} ${each.getBoundingClientRect().right}`),
        `${kind}, ${atTable ? "table" : "replay"}`,
      ).toEqual([]);
    }
  }
});

it.each([2, 3])("a long name and long words about a seat stay within it on a phone, of %i", async (seats) => {
  await page.viewport(360, 780);
  const game = golden("palace", seats);
  const { moment, seat } = fullest(game);
  sit(game, moment, seat);
  for (const name of all(".seat .who > b")) {
    name.textContent = "Maximiliane-Charlotte von Hohenlohe-Öhri";
    if (!name.closest(".near"))
      name.insertAdjacentHTML("afterend", "<span class='tag'>hat „letzte Karte“ nicht angesagt</span>");
  }
  await drawn();
  const rightOf = (each: Element | null): number => each?.getBoundingClientRect().right ?? 0;
  const beyond = all(".seat .who > *").filter((each) => rightOf(each) > rightOf(each.closest(".seat")));
  expect([beyond.map((each) => each.className), document.documentElement.scrollWidth]).toEqual([[], 360]);
});
