/** Connects a controller, which changes what a board shows, with the stage, which shows how. */

import { tick } from "svelte";
import { load } from "../later";
import type { Flow } from "./flows";
import type { Stage } from "./stage";
import type { Changing } from "./timing";

/** Show the motion of a board in `root`. It is loaded after the first drawing. Returns a function that ends it. */
export function moving(root: HTMLElement, controller: Changing, heard: (flows: readonly Flow[]) => void): () => void {
  let stage: Stage | null = null;
  controller.changing = (play) => {
    if (!stage) return;
    stage.hold();
    void tick().then(() => (play ? stage?.play(play) : stage?.drop()));
  };
  controller.settle = () => stage?.finish();
  const stop = load(
    () => import("./stage"),
    (part) => (stage = new part.Stage(root, heard)),
  );
  return () => {
    stop();
    stage?.destroy();
  };
}
