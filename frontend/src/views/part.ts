/** What the first drawing of a replay does not need: the sheet of a moment with its tools, and the list of keys. */

export { keyList } from "../keylist";
export { default as Help } from "./Help.svelte";
export { default as Moment } from "./Moment.svelte";
