/** What the viewer loads for a game that may be reviewed. */

export { default as Curve } from "./Curve.svelte";
export { default as Aside } from "./Aside.svelte";
export { default as Panel } from "./Panel.svelte";
export { chanceText } from "./curve";
export { Reviewing, reviewWorld } from "./reviewing.svelte";
