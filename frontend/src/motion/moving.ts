/** Connects a controller, which changes what a board shows, with the stage, which shows how. */

import { tick } from "svelte";
import type { Flow } from "./flows";
import { Stage } from "./stage";
import type { Changing } from "./timing";

/** Show the motion of a board in `root`. Returns a function that ends it. */
export function moving(root: HTMLElement, controller: Changing, heard: (flows: readonly Flow[]) => void): () => void {
  const stage = new Stage(root, heard);
  let ended = false;
  controller.changing = (play) => {
    if (ended) return;
    if (!play) {
      stage.finish(); // another viewpoint, or a jump: nothing is read, and nothing moves
      return stage.drop();
    }
    stage.hold();
    void tick().then(() => {
      if (!ended) stage.play(play);
    });
  };
  controller.settle = () => stage.finish();
  return () => {
    ended = true;
    stage.destroy();
  };
}
