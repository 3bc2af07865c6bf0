/** The entry: read what the page gave, and load the table for who plays, the viewer for who looks. Neither is imported
 *  here at once, so that everything shared lies in a file of its own, whatever name the entry is served by. */

import type { Page, Replay } from "./types";

function embedded<T>(id: string): T | null {
  const element = document.getElementById(id);
  return element?.textContent ? (JSON.parse(element.textContent) as T) : null;
}

const target = document.getElementById("replay");
const replay = embedded<Replay>("replay-data");
const page = embedded<Page>("replay-page");

if (target && replay && page) {
  const side = replay.turn ? import("./table/start") : import("./viewer");
  void side.then(({ start }) => start(target, replay, page));
}
