/** What moves and sounds at a table. It is loaded after the first drawing. */

import { moving } from "./motion/moving";
import type { Changing } from "./motion/timing";
import { cueOf } from "./sound/cues";
import { speaker } from "./sound/speaker.svelte";

/** Show and sound what a controller changes in `root`. Returns a function that ends it. */
export function enliven(root: HTMLElement, controller: Changing): () => void {
  const still = moving(root, controller, (flows) => speaker.play(cueOf(flows)));
  const silent = speaker.wake();
  return () => {
    still();
    silent();
  };
}
