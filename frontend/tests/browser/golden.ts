/**
 * Reads the golden games: what everybody saw and could play at each moment. `bin/dev test` and `bin/dev gallery` write
 * them from the engines into .local/golden (tests/scorebook_games/kinds/playthrough.py).
 */

import type { Frame, Move, Observation, Page, Replay, Turn } from "../../src/types";
import type { Explanations } from "../../src/explain/names";
import { slim } from "../../src/boards/kinds/plate_spinner/slim";
import { USUAL } from "../shortcuts";

const FILES = import.meta.glob<string>("../../../.local/golden/*.txt", {
  query: "?raw",
  import: "default",
  eager: true,
});
export const NAMES = [
  "Tin Whistle",
  "Martha",
  "Mother Goose",
  "Bartholomew Featherstone",
  "Old Peat",
  "Long Tom",
  "Kittiwake",
  "Io",
];
export const KINDS = ["chinese_ten", "palace", "plate_spinner", "plates", "platinum_fish"] as const;

type Facts = Record<string, unknown>;

/** A moment: its events, and what the public (null) and each seat see and may do. */
export interface Moment {
  version: number;
  events: Facts[];
  public: Facts;
  seats: { seen: Facts; legal: string[] }[];
}

export interface Golden {
  kind: string;
  title: string;
  seats: number;
  options: Facts;
  moments: Moment[];
}

/** What the things on the tables are and do, by kind. */
export const EXPLANATIONS = Object.values(
  import.meta.glob<Record<string, Explanations>>("../../../.local/golden/explanations.json", {
    import: "default",
    eager: true,
  }),
)[0] as Record<string, Explanations>;

/** Return some cases by default, and every one with `bin/dev test --all`. */
export function orEvery<Case>(some: readonly Case[], every: readonly Case[]): readonly Case[] {
  return import.meta.env.VITE_EVERY ? every : some;
}

/** Return the golden game of a kind with this number of seats. */
export function golden(kind: string, seats: number): Golden {
  const found = Object.entries(FILES).find(([path]) => path.endsWith(`/${kind}-${seats}.txt`));
  if (!found) throw new Error(`There is no golden game ${kind}-${seats}. Run bin/dev test, which writes them.`);
  return read(kind, seats, found[1]);
}

/** Return the numbers of seats in the golden games of a kind. */
export function sizes(kind: string): number[] {
  const found = Object.keys(FILES).flatMap((path) => new RegExp(`/${kind}-(\\d+)\\.txt$`).exec(path)?.[1] ?? []);
  return found.map(Number).sort((a, b) => a - b);
}

function read(kind: string, seats: number, text: string): Golden {
  const [head = "", ...parts] = text.split("\n\n== ");
  const [, title = "", options = "{}"] = /^(.*), rules version .* seats, (\{.*\})$/.exec(head) ?? [];
  let version = 1;
  const moments = parts.flatMap((part) => {
    const lines = part.split("\n");
    if (lines.length < 3) return []; // the outcome
    const moment: Moment = { version, events: [], public: {}, seats: [] };
    let facts = moment.public;
    for (const line of lines.slice(1)) {
      const [, name = "", value = ""] = /^ {2}(\w+): (.*)$/.exec(line) ?? [];
      if (line.startsWith("  reads "))
        version = moment.version = moment.events.push(JSON.parse(line.slice(8)) as Facts) && version + 1;
      else if (line.startsWith("seat ")) moment.seats.push({ seen: (facts = { ...moment.public }), legal: [] });
      else if (name === "legal") moment.seats[moment.seats.length - 1]?.legal.push(...value.split(", "));
      else if (name && value === '"absent"') delete facts[name];
      else if (name) facts[name] = JSON.parse(value);
    }
    return [moment];
  });
  return { kind, title, seats, options: JSON.parse(options) as Facts, moments };
}

/** Return what a viewpoint saw; "all" includes every hand. */
export function seenBy(moment: Moment, viewpoint: string): Facts {
  const own =
    viewpoint === "all" || viewpoint === "public" ? moment.public : (moment.seats[Number(viewpoint)]?.seen ?? {});
  if (viewpoint !== "all") return own;
  const open = moment.seats.map(({ seen }) => seen);
  if ("hand" in own) return { ...own, hands: open.map((seen) => seen.hand) };
  return { ...own, seats: open.map((seen, seat) => (seen.seats as Facts[])[seat]) };
}

/** Return the print of Plate Spinner's items, with names and motifs made for the test. */
function itemsOf(moments: readonly Moment[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const add = (item: unknown): void => {
    const { id, rim, filled, free, ...printed } = item as Facts & { id: string };
    void [filled, free];
    found[id] = { ...printed, id, name: `Beaker ${id}`, motif: "bell" };
    if (rim) add(rim);
  };
  for (const { public: seen } of moments) {
    if (!Array.isArray(seen.market)) return {};
    for (const item of [
      ...seen.market,
      ...(seen.loose as unknown[]),
      ...(seen.players as { plates: unknown[] }[]).flatMap(({ plates }) => plates),
    ])
      add(item);
  }
  return found;
}

const seatOf = ({ seat }: Facts): number | null => (typeof seat === "number" ? seat : null);

/** Return a replay of the game from a viewpoint, as the server answers it, with a frame for each moment. */
export function replayOf(game: Golden, viewpoint: string, moments: readonly Moment[] = game.moments): Replay {
  const over = moments.length === game.moments.length;
  const frames = moments.map((moment): Frame => {
    const event = moment.events[moment.events.length - 1] ?? {};
    const seat = seatOf(event);
    const parts = [...(seat === null ? [] : [{ seat }]), ` ${String(event.type)}.`];
    const seen = seenBy(moment, viewpoint) as Observation;
    const observation = game.kind === "plate_spinner" ? slim(seen) : seen;
    return {
      version: moment.version,
      ms: moment.version * 500,
      seat,
      words: "",
      parts,
      marks: [],
      event,
      observation,
      offers: [],
    };
  });
  const players = Array.from({ length: game.seats }, (_, seat) => ({
    seat,
    name: NAMES[seat] ?? "",
    bot: false,
    agent: false,
    version: null,
    left: "",
    player_url: null,
  }));
  const seats = players.map(({ seat }) => String(seat));
  return {
    game: {
      id: "7F3K0000",
      kind: game.kind,
      title: game.title,
      options: game.options,
      terms: {},
      continued: null,
      seats: players,
      status: over ? "finished" : "playing",
      outcome: null,
      termination: null,
      opened_at: "2026-11-20T19:00:00Z",
    },
    viewpoint,
    allowed_viewpoints: over ? ["all", ...seats, "public"] : [viewpoint],
    version: frames[frames.length - 1]?.version ?? 1,
    ground: { title: "Points", best: "highest", goal: "highest wins" },
    items: game.kind === "plate_spinner" ? itemsOf(game.moments) : {},
    frames,
    turn: null,
    scores: frames.map(() => players.map(() => 0)),
  };
}

/** Return the turn of a seat at a moment. */
export function turnOf(moment: Moment, seat: number, more: Partial<Turn> = {}): Turn {
  const legal = moment.seats[seat]?.legal ?? [];
  const roll = legal[legal.length - 1]?.startsWith("roll ") ? (legal[legal.length - 1] as string) : "";
  const moves: Move[] = legal
    .filter((move) => !roll || !move.startsWith("roll ") || move === roll)
    .map((move) => ({ move, words: `Do ${move}` }));
  return {
    seat,
    version: moment.version,
    may_act: legal.length > 0,
    legal: moves,
    any_of: roll ? { move: roll, wait_ms: 0 } : null,
    pace: "turns",
    beat: null,
    given: null,
    waiting_for: moment.seats.flatMap((each, place) => (each.legal.length ? [place] : [])),
    clock: { kind: null, at: new Date().toISOString(), deadline: null, seats: [] },
    present: [seat],
    offers: [],
    may: { resign: true, offer_abort: true, abort_ends_game: false, rematch: false },
    over: null,
    ...more,
  };
}

export const PAGE: Page = {
  replay: "/api/v1/games/7F3K0000/replay/",
  events: "/api/v1/games/7F3K0000/events/",
  text: "/export/?as=text",
  json: "/export/?as=json",
  seal: null,
  game: "/api/v1/games/7F3K0000/",
  rules: "/rules/chinese_ten/",
  mine: "/games/",
  clock: "",
  login: "/accounts/login/",
  build: "1",
  board: "",
  again: "",
  verify: "",
  embed: "/games/7F3K0000/embed/",
  told: null,
  home: "/games/7F3K0000/",
  go_on: null,
  review: "",
  shortcuts: USUAL,
  keys: "/shortcuts/",
};
