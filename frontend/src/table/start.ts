/** The entry of the page of a player: makes state, controller and stream, and sends requests to the server. */

import { mount } from "svelte";
import type { Board } from "../boards/contract";
import type { Page, Replay, Turn } from "../types";
import { whenOver } from "../fresh";
import { type End, newsIn } from "../news";
import { load } from "../later";
import type { Listener } from "../stream";
import { cookie } from "./cookie";
import { NotYours, Refused, TableController, type World } from "./controller.svelte";
import { type Answer, faultOf } from "./send";
import Table from "./Table.svelte";

const CONFIRM = "scorebook.confirm";
const SLOW_SECONDS = 3600;
const LONGEST_PAUSE_MS = 10_000;

/** Return the JSON of an answer, or {} if it is not JSON of the platform. */
async function bodyOf(answer: Response): Promise<Answer["body"]> {
  const text = await answer.text();
  const json = (answer.headers.get("content-type") ?? "").includes("json");
  return json ? (JSON.parse(text) as Answer["body"]) : {};
}

async function fetched<T>(address: string): Promise<T> {
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (answer.status === 403) throw new NotYours();
  if (answer.ok) return (await answer.json()) as T;
  const fault = faultOf({ status: answer.status, body: await bodyOf(answer) });
  throw fault ? new Refused(fault) : new Error(`The server answered with ${answer.status}.`);
}

/** Return whether moves need confirmation: the person's setting for this kind of game, or else yes for slow games. */
function confirmWanted(replay: Replay): [key: string, on: boolean] {
  const { move_seconds, move_days } = (replay.game.terms ?? {}) as Record<string, number | null>;
  const people = replay.game.seats.filter((seat) => !seat.bot).length;
  const slow = people > 1 && (Boolean(move_days) || (move_seconds ?? 0) >= SLOW_SECONDS);
  const key = `${CONFIRM}.${slow ? "slow" : "live"}`;
  const kept = localStorage.getItem(key);
  return [key, kept === null ? slow : kept === "yes"];
}

/** The parts of a world that are the same wherever a table is played. */
export const browser: Pick<World, "wait" | "now" | "key" | "still"> = {
  wait: (ms) => new Promise((resolve) => window.setTimeout(resolve, ms)),
  now: () => Date.now(),
  key: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join(""),
  still: () => document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches,
};

const query = (after: readonly string[]): string => after.map((move) => `after=${encodeURIComponent(move)}`).join("&");

function browserWorld(page: Page, confirmKey: string): World {
  return {
    ...browser,
    turn: (after) => fetched<Turn>(`${page.game}turn/?${query(after)}`),
    why: (move, after) => fetched(`${page.game}turn/why/?move=${encodeURIComponent(move)}&${query(after)}`),
    async post(path, body): Promise<Answer> {
      const headers = {
        "Content-Type": "application/json",
        Accept: "application/json",
        "X-CSRFToken": cookie("csrftoken"),
      };
      const answer = await fetch(page.game + path, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: answer.status, body: await bodyOf(answer) };
    },
    keepConfirm: (on) => localStorage.setItem(confirmKey, on ? "yes" : "no"),
    go: (game) => window.location.assign(game ? `../${game}/` : window.location.pathname),
  };
}

export function start(target: HTMLElement, replay: Replay, page: Page, board: Board): void {
  const [confirmKey, confirm] = confirmWanted(replay);
  const world = browserWorld(page, confirmKey);
  const controller = new TableController(replay, board, world, confirm);
  target.classList.add("attable");
  const learn = ({ after, result }: Page): void => controller.change({ after: after ?? null, result: Boolean(result) });
  learn(page);
  const told = whenOver(replay.game.status !== "playing", learn);
  mount(Table, { target, props: { controller, board, page, told } });
  load(
    () => import("../stream"),
    ({ listen }) => follow(listen, controller, page, replay.viewpoint),
  );
}

/** Listen to the stream, also after the end, because a rematch may be offered. */
function follow(
  listen: (listener: Listener) => unknown,
  controller: TableController,
  page: Page,
  viewpoint: string,
): void {
  listen({
    address: () => `${page.events}?viewpoint=${viewpoint}&frames=1&stay=1&since=${controller.replay.version}`,
    longest: LONGEST_PAUSE_MS,
    link: (open) => controller.change({ link: open ? "open" : "lost" }),
    refused: () => window.location.assign(window.location.pathname), // it is what this reader may see now
    heard(type, data) {
      const line = JSON.parse(data) as object;
      const news = newsIn(line);
      if (news) controller.take(news);
      else if (type === "state" && "turn" in line) controller.turned(line.turn as Turn);
      else if (type === "game") controller.change({ stale: (line as { build: string }).build !== page.build });
      else if (type === "over") controller.ended(line as End);
      else if (type === "talk") document.dispatchEvent(new Event("talk")); // htmx fetches it (talk/parts/newer.html)
    },
  });
}
