/** The clocks of a running game for those who watch it. Loaded after the board. */

import { mount, unmount } from "svelte";
import type { Controller } from "../controller.svelte";
import WatchedClock from "./WatchedClock.svelte";

/** Draw the clock of a seat into `place`. Returns a function that removes it. */
export function drawClock(controller: Controller, seat: number, place: HTMLElement): () => void {
  const drawn = mount(WatchedClock, { target: place, props: { controller, seat } });
  return () => void unmount(drawn);
}
