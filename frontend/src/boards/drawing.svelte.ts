import { untrack } from "svelte";
import type { Attachment } from "svelte/attachments";
import type { Draw, Scene } from "./contract";

/** Draws a board into an element until the element is removed. `changes` reads everything that the board may show. */
export function drawing(draw: Draw, scene: Scene, changes: () => unknown): Attachment<HTMLElement> {
  return (place) =>
    untrack(() => {
      const drawn = draw(place, scene);
      $effect(() => {
        changes();
        untrack(() => drawn.update());
      });
      return () => drawn.destroy();
    });
}
