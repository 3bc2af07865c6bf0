/** Mounts the viewer or the table as a page does, with the platform's style sheets and a server of the test. */

import { flushSync, mount, unmount } from "svelte";
import "../../static/css/tokens.css";
import "../../static/css/site.css";
import "../../static/css/cards.css";
import "../../static/css/tables.css";
import "../../static/css/replay.css";
import "../../static/css/table.css";
import App from "../../src/App.svelte";
import { Controller } from "../../src/controller.svelte";
import { TableController, type World } from "../../src/table/controller.svelte";
import type { Answer } from "../../src/table/send";
import Table from "../../src/table/Table.svelte";
import * as part from "../../src/review/part";
import type { Page, Replay, Review, Turn } from "../../src/types";
import * as deck from "../../src/views/deck";
import { boardOf } from "./boards"; // their styles come after those of the pages
import { type Golden, type Moment, PAGE, replayOf, turnOf } from "./golden";

let mounted: object | null = null;

/** What the server writes below the island when a game is over (replays/templates/replays/result.html). */
export const RESULT = `
<section class="result-card unscripted" id="result" aria-labelledby="result-h" data-fresh="result">
  <h2 id="result-h" tabindex="-1">Martha wins with 40.</h2>
  <ol class="places"><li class="winner" data-seat="1"><span class="name">Martha</span> <b>40</b></li></ol>
  <ol class="moments"><li><a class="btn sm" href="?look=1#8" data-version="8">Show me</a></li></ol>
</section>`;

/** Remove what was mounted. */
export function clear(): void {
  if (mounted) void unmount(mounted);
  mounted = null;
  document.body.replaceChildren();
}

/** Make the element of the island, as in config/templates/base.html and replays/replay.html, in an empty page. */
function place(classes: string): HTMLElement {
  clear();
  document.documentElement.lang = "en";
  document.body.innerHTML = `<header class="masthead">
      <div class="wrap"><a class="brand" href="/">Scorebook</a></div>
    </header>
    <main id="main"><div class="wrap">
      <header class="gamehead"><div><h1>A game</h1><p class="result">Martha · Laura</p></div></header>
      <div id="replay" class="${classes}"></div>
    </div></main>`;
  return document.getElementById("replay") as HTMLElement;
}

export interface Viewed {
  controller: Controller;
  /** The addresses that were written, and the texts that were copied. */
  remembered: string[];
  copied: string[];
  /** Advance by one event and draw. */
  step: () => void;
}

/** Mount the replay viewer of a golden game from a viewpoint, at an event. */
export function view(
  game: Golden,
  viewpoint: string,
  version: number | null = null,
  more: Partial<Page> = {},
  replay = replayOf(game, viewpoint),
  reviews?: (seat: number, method: "GET" | "POST") => Promise<Review>,
): Viewed {
  const page = { ...PAGE, ...more };
  const made = { remembered: [] as string[], copied: [] as string[] };
  const controller = new Controller(replay, page, version, {
    load: (other) => Promise.resolve(replayOf(game, other)),
    later(ms, call) {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    remember: (other, at) => void made.remembered.push(`${other}#${at}`),
    copy: (text) => (made.copied.push(text), Promise.resolve()),
    link: (other, at) => `https://house.example/games/7F3K0000/?viewpoint=${other}#${at}`,
    page: () => Promise.resolve(page),
  });
  const world = { fetch: reviews ?? (() => Promise.reject(new Error("refused"))), later: () => () => undefined };
  const loadReviews = () => Promise.resolve({ ...part, reviewWorld: () => world });
  const props = { controller, board: boardOf(game.kind), loadReviews, deck, ends: Boolean(page.result) };
  const target = place("viewer");
  if (page.result) target.insertAdjacentHTML("afterend", RESULT);
  mounted = mount(App, { target, props });
  flushSync();
  return { ...made, controller, step: () => flushSync(() => controller.step(1)) };
}

export interface Seated {
  controller: TableController;
  posts: { path: string; body: Record<string, unknown> }[];
  /** The moves that the rules were asked about. */
  asked: string[];
}

export interface Around {
  confirm?: boolean;
  turn?: Partial<Turn>;
  /** The game's state after a move was sent. */
  after?: Moment;
  /** The answers to posts, if they are not a turn; null for no answer at all. */
  answers?: (Answer | null)[];
  why?: { sentence: string; clause: string };
  /** In beats: the turn after the moves of a bundle. */
  trial?: (after: readonly string[]) => Turn;
  page?: Partial<Page>;
}

/** Mount the table of a golden game as a seat sees it at a moment. */
export function sit(game: Golden, moment: Moment, seat: number, around: Around = {}): Seated {
  const viewpoint = String(seat);
  const upTo = game.moments.slice(0, game.moments.indexOf(moment) + 1);
  const turn = turnOf(moment, seat, around.turn);
  const replay: Replay = { ...replayOf(game, viewpoint, upTo), turn };
  replay.game.status = turn.over ? "finished" : "playing";
  const made = { posts: [] as Seated["posts"], asked: [] as string[] };
  const answers = [...(around.answers ?? [])];
  const next = (): Turn => (around.after ? turnOf(around.after, seat) : turn);
  /** What the answer to a move has of the game after it. */
  const newer = () => {
    const { frames, scores } = replayOf(game, viewpoint, around.after ? [around.after] : []);
    return around.after ? { since: replay.version, version: next().version, frames, scores } : {};
  };
  const world: World = {
    turn: (after) => Promise.resolve(around.trial?.(after) ?? turn),
    why: (move) => (made.asked.push(move), Promise.resolve({ legal: false, ...around.why })),
    post(path, body) {
      made.posts.push({ path, body });
      const answer = answers.shift();
      return answer === null
        ? Promise.reject(new Error("no answer"))
        : Promise.resolve(answer ?? { status: 200, body: { ...newer(), turn: next() } });
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5))),
    now: () => Date.now(),
    key: () => "key",
    still: () => true,
    keepConfirm: () => undefined,
    go: () => undefined,
  };
  const controller = new TableController(replay, boardOf(game.kind), world, around.confirm);
  const page = { ...PAGE, ...around.page };
  mounted = mount(Table, {
    target: place("viewer attable"),
    props: { controller, board: boardOf(game.kind), page, told: () => undefined },
  });
  flushSync();
  return { ...made, controller };
}

export const all = (selector: string, root: ParentNode = document): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(selector),
];
export const one = (selector: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`There is no ${selector}.`);
  return found;
};
/** Return the visible cards by their names in the notation. */
export const cards = (root: ParentNode | null): string[] =>
  (root ? all("[data-card]", root) : []).map((card) => card.dataset.card ?? "");
