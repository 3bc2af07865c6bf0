/** A small replay as the server answers it, and a `World` whose calls a test can read. */

import { Controller, type World } from "../src/controller.svelte";
import type { Frame, Page, Replay } from "../src/types";
import { USUAL } from "./shortcuts";

export function frame(
  version: number,
  event: Record<string, unknown> = { type: "laid" },
  more: Partial<Frame> = {},
): Frame {
  const parts = [{ seat: 0 }, " laid ", { card: "7S" }, "."];
  return {
    version,
    ms: version * 500,
    seat: 0,
    words: "",
    parts,
    marks: [],
    event,
    observation: {},
    offers: [],
    ...more,
  };
}

export function replayOf(versions: number[], more: Partial<Replay> = {}): Replay {
  const unknown = { bot: false, agent: false, version: null, left: "", player_url: null };
  const seats = ["Martha", "Laura"].map((name, seat) => ({ seat, name, ...unknown }));
  return {
    game: {
      id: "7F3K0000",
      kind: "chinese_ten",
      title: "Chinese Ten",
      options: {},
      terms: {},
      continued: null,
      seats,
      status: "finished",
      outcome: null,
      termination: null,
      opened_at: "2026-11-20T19:00:00Z",
    },
    viewpoint: "0",
    allowed_viewpoints: ["all", "0", "1", "public"],
    version: versions.at(-1) ?? 1,
    ground: { title: "Points", best: "highest", goal: "highest wins" },
    frames: versions.map((version) => frame(version)),
    scores: versions.map((version) => [version * 10, 5]),
    items: {},
    turn: null,
    ...more,
  };
}

export interface Stage {
  controller: Controller;
  remembered: string[];
  asked: string[];
  /** Let the time pass until the next timer fires. */
  pass: () => void;
  waits: number[];
  copied: string[];
}

const page: Page = {
  replay: "",
  events: "",
  text: "",
  json: "",
  seal: null,
  game: "",
  rules: "",
  mine: "",
  clock: "",
  login: "",
  build: "",
  board: "",
  again: "",
  verify: "",
  embed: "/games/7F3K0000/embed/",
  told: null,
  home: "",
  go_on: null,
  review: "",
  shortcuts: USUAL,
  keys: "",
};

export function stage(
  replay: Replay,
  answers: Record<string, Replay | Error> = {},
  version: number | null = null,
  told: number | null = null,
): Stage {
  const waiting: { ms: number; call: () => void }[] = [];
  const made: Omit<Stage, "controller"> = {
    remembered: [],
    asked: [],
    waits: [],
    copied: [],
    pass: () => waiting.shift()?.call(),
  };
  const world: World = {
    load: (viewpoint, since, until) => {
      const asked = until === undefined ? `${viewpoint} ${since}` : `${viewpoint} ${since} ${until}`;
      made.asked.push(asked);
      const answer = answers[asked];
      return answer instanceof Error || !answer
        ? Promise.reject(answer ?? new Error("refused"))
        : Promise.resolve(answer);
    },
    later: (ms, call) => {
      const one = { ms, call };
      made.waits.push(ms);
      waiting.push(one);
      return () => void waiting.splice(waiting.indexOf(one), waiting.includes(one) ? 1 : 0);
    },
    remember: (viewpoint, at) => void made.remembered.push(`${viewpoint}#${at}`),
    copy: (text) => {
      made.copied.push(text);
      return Promise.resolve();
    },
    link: (viewpoint, version) => `?viewpoint=${viewpoint}#${version}`,
    page: () => Promise.resolve({ ...page, json: "/export/" }),
  };
  return { ...made, controller: new Controller(replay, { ...page, told }, version, world) };
}
