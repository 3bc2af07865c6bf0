/** Each board draws what was observed: at every moment of every golden game. */

import { describe, expect, it } from "vitest";
import { type Golden, golden, KINDS, seenBy, sizes } from "./golden";
import { all, cards, one, view } from "./stage";

type Facts = Record<string, unknown>;
type Seats = Facts[];

const seatsOf = (count: number): HTMLElement[] =>
  Array.from({ length: count }, (_, seat) => one(`.viewer [data-seat="${seat}"]`));
const number = (element: HTMLElement | null | undefined): number => Number(element?.textContent);
const pile = (name: string): number => number(one(`.viewer [data-place="${name}"] .count`));
const plates = (root: HTMLElement): (string | undefined)[] =>
  all('[data-piece^="plate "]', root).map(({ dataset }) => dataset.piece?.replace("plate ", ""));
const backs = (count: number): string[] => Array<string>(count).fill("back");
const scores = (seats: HTMLElement[]): number[] =>
  seats.map((seat) => number(seat.querySelector<HTMLElement>(".score > b")));

/** By kind: what is drawn, and what must be drawn of an observation from the viewpoint of a seat. */
const BOARDS: Record<
  string,
  { drawn: (seats: HTMLElement[]) => Facts; wanted: (seen: Facts, own: number, before: Facts, event: Facts) => Facts }
> = {
  chinese_ten: {
    drawn: (seats) => ({
      spots: [1, 2, 3, 4].map((spot) => cards(one(`[data-place="spot ${spot}"]`))),
      deck: pile("deck"),
      hands: seats.map((seat) => cards(seat.querySelector(".shown"))),
      points: scores(seats),
    }),
    wanted: (seen, own) => ({
      spots: (seen.spots as string[][]).map((spot) => spot.slice(-3)),
      deck: seen.deck,
      hands: (seen.hand_counts as number[]).map((count, seat) => (seat === own ? seen.hand : backs(count))),
      points: seen.points,
    }),
  },
  plates: {
    drawn: (seats) => ({
      plate: cards(one(".dish")),
      revealed: seats.map((seat) => cards(seat.querySelector(".known"))),
      primary: seats.map((seat) => cards(seat.querySelector(".first .shown"))),
      points: scores(seats),
    }),
    wanted: (seen) => ({
      plate: (seen.plate as string[]).slice(-6),
      revealed: (seen.seats as Seats).map((seat) => seat.revealed),
      primary: (seen.seats as Seats).map(({ primary }) => primary ?? []),
      points: (seen.seats as Seats).map((seat) => seat.total),
    }),
  },
  platinum_fish: {
    drawn: (seats) => ({
      hands: seats.map((seat) => cards(seat.querySelector(".shown"))),
      matches: seats.map((seat) => all(".pair", seat).map(cards)),
      deck: pile("deck"),
      discard: pile("discard"),
      dice: all(".viewer .dice [data-die]").map((die) => Number(die.dataset.die)),
      lacking: all(".viewer .allowed-rank.out").length,
    }),
    wanted(seen, own, before, event) {
      // the roll stays visible at the end of a turn
      const rolled = ["fished", "asked", "declined"].includes(String(event.type)) ? before : seen;
      const closed = (count: number, seat: number): string[] => {
        const shown = (seen.shown as string[][])[seat] ?? [];
        return [...shown, ...backs(count - shown.length)];
      };
      return {
        hands: (seen.hand_counts as number[]).map((count, seat) => (seat === own ? seen.hand : closed(count, seat))),
        matches: seen.matches,
        deck: seen.deck,
        discard: (seen.discard as string[]).length,
        dice: rolled.dice,
        // a player who searches shows nobody what was found
        lacking: rolled.fish === null ? 0 : (rolled.ranks as unknown[]).length - (rolled.fish as unknown[]).length,
      };
    },
  },
  palace: {
    drawn: (seats) => ({
      stack: pile("stack"),
      cleared: pile("cleared"),
      pile: cards(one(".discard")),
      hands: seats.map((seat) => cards(seat.querySelector(".first .shown"))),
      stands: seats.map((seat) => all(".palace .stand", seat).map(cards)),
      left: scores(seats),
    }),
    wanted: (seen) => ({
      stack: seen.stack,
      cleared: (seen.cleared as string[]).length,
      pile: (seen.pile as string[]).slice(-5),
      hands: (seen.seats as Seats).map(({ hand }) => hand ?? []),
      stands: (seen.seats as Seats).map(({ under, upper }) =>
        [0, 1, 2].map((each) =>
          [(under as (string | null)[])[each], (upper as (string | null)[])[each]]
            .filter((card) => card !== null && card !== undefined)
            .map((card) => (card === "??" ? "back" : card)),
        ),
      ),
      left: (seen.seats as Seats).map((seat) => seat.cards),
    }),
  },
  plate_spinner: {
    drawn: (seats) => ({
      market: plates(one(".stall")).sort(),
      plates: seats.map((seat) => plates(seat)),
      dice: seats.map((seat) =>
        all(".pool [data-die]", seat)
          .map((die) => die.dataset.die)
          .join(""),
      ),
      lying: all(".near [data-piece^='plate ']").map((plate) => all(".slot [data-die]", plate).length),
      meeples: all(".meeples .meeple:not(.gone) b").map(number),
      scores: scores(seats),
    }),
    wanted(seen, own) {
      const ids = (items: unknown): unknown[] => (items as Facts[]).map(({ id }) => id);
      const players = seen.players as Seats;
      const loose = (seat: number): unknown[] => (seen.turn === seat ? ids(seen.loose) : []);
      const lying = (filled: unknown): number =>
        (filled as (number | null)[][]).flat().filter((die) => die !== null).length;
      return {
        market: ids(seen.market).sort(),
        plates: players.map(({ plates }, seat) => [...ids(plates), ...loose(seat)]),
        dice: players.map(({ dice }) => dice),
        lying: [
          ...((players[own] as Facts).plates as Facts[]).map(({ filled }) => lying(filled)),
          ...loose(own).map(() => 0),
        ],
        meeples: seen.meeples,
        scores: players.map(({ score }) => score),
      };
    },
  },
};

/** Step through the whole game and compare each board. */
function walk(game: Golden, own: number): void {
  const { drawn, wanted } = BOARDS[game.kind] as (typeof BOARDS)[string];
  const viewpoint = String(own);
  const viewed = view(game, viewpoint, 1);
  one("main").style.display = "none"; // this test checks what is drawn; fits.test.ts checks where
  let before: Facts = {};
  for (const moment of game.moments) {
    const seen = seenBy(moment, viewpoint);
    expect(one(".felt").getAttribute("aria-label")).toBe(`The table after step ${moment.version}`);
    expect(drawn(seatsOf(game.seats)), `event ${moment.version}`).toEqual(
      wanted(seen, own, before, moment.events[moment.events.length - 1] ?? {}),
    );
    before = seen;
    viewed.step();
  }
}

describe("a board", () => {
  const games = KINDS.flatMap((kind) => sizes(kind).map((seats) => [kind, seats] as const));
  it("is there for every golden game", () => expect(games.length).toBeGreaterThanOrEqual(15));
  it.each(games)("of %s for %i shows at each moment what was observed then", (kind, seats) =>
    walk(golden(kind, seats), seats - 1),
  );
});
