/** Makes a board from a Svelte component, on the contract of all boards. */

import { type Component, mount, unmount } from "svelte";
import type { Frame, Replay } from "../../types";
import type { Draw } from "../contract";
import { contextOf } from "./scene";

/** A component reads the scene itself, so `update` does nothing. */
export function drawnBy(component: Component<{ frame: Frame; replay: Replay }>): Draw {
  return (target, scene) => {
    const props = {
      get frame() {
        return scene.frame;
      },
      get replay() {
        return scene.replay;
      },
    };
    const drawn = mount(component, { target, props, context: contextOf(scene) });
    return { update: () => undefined, destroy: () => void unmount(drawn) };
  };
}
