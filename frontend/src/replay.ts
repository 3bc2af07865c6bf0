/**
 * The entry: read what the page gave, and load the table for who plays, the viewer for who looks. No other file
 * imports this one (tests/built.test.ts).
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

// Once a page, whoever runs this file again.
if (target && !target.dataset.mounted && replay && page) {
  target.dataset.mounted = "yes";
  const side = replay.turn ? import("./table/start") : import("./viewer");
  void Promise.all([side, boardOf(replay.game.kind, page.board)]).then(([{ start }, board]) =>
    start(target, replay, page, board),
  );
}
