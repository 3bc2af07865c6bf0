/** Connects a controller, which changes what a board shows, with the stage, which shows how. */

import { tick } from "svelte";
import type { Flow } from "./flows";
import type { Stage } from "./stage";
import type { Changing } from "./timing";

/** Call `call` when the page has nothing more important to do. */
export function later(call: () => void): void {
  if ("requestIdleCallback" in window) window.requestIdleCallback(call, { timeout: 1000 });
  else setTimeout(call, 200); // Safari
}

/** Show the motion of a board in `root`. It is loaded after the first drawing. Returns a function that ends it. */
export function moving(root: HTMLElement, controller: Changing, heard: (flows: readonly Flow[]) => void): () => void {
  let [stage, ended]: [Stage | null, boolean] = [null, false];
  controller.changing = (play) => {
    if (!stage) return;
    stage.hold();
    void tick().then(() => (play ? stage?.play(play) : stage?.drop()));
  };
  controller.settle = () => stage?.finish();
  later(() => {
    import("./stage").then(
      (part) => {
        if (ended) return;
        stage = new part.Stage(root, heard);
      },
      () => undefined, // the game can be followed without
    );
  });
  return () => {
    ended = true;
    stage?.destroy();
  };
}
