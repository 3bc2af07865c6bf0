/** What a reader goes through a game with. It is drawn after the table, which keeps its room. */

export { default as Controls } from "./Controls.svelte";
export { default as Moves } from "./Moves.svelte";
export { default as Scrubber } from "./Scrubber.svelte";
export { default as Viewpoint } from "./Viewpoint.svelte";
export { press } from "../keys";
export { nextText } from "./words";
