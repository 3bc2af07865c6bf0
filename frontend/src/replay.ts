/**
 * The entry of a game's page. Loads the table for a player, an introduction, or the viewer for everybody else. No other
 * file imports it (tests/built.test.ts).
 */

import { boardOf } from "./boards/load";
import type { Page, Replay } from "./types";

function embedded<T>(id: string): T | null {
  const element = document.getElementById(id);
  return element?.textContent ? (JSON.parse(element.textContent) as T) : null;
}

const target = document.getElementById("replay");
const replay = embedded<Replay>("replay-data");
const page = embedded<Page>("replay-page");

// Mount once, even if this script runs twice.
if (target && !target.dataset.mounted && replay && page) {
  target.dataset.mounted = "yes";
  const side = page.lesson
    ? import("./introduction/start")
    : replay.turn
      ? import("./table/start")
      : import("./viewer");
  void Promise.all([side, boardOf(replay.game.kind, page.board)]).then(([{ start }, board]) =>
    start(target, replay, page, board),
  );
}
