/** A board made of Svelte components, on the contract of all boards. */

import { type Component, mount, unmount } from "svelte";
import type { Frame, Replay } from "../../types";
import type { Draw } from "../contract";
import { contextOf } from "./scene";

/** The component reads the scene itself, so an update has nothing to do. */
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
