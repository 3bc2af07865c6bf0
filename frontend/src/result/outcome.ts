/** What a page loads when a game is over: the card with its result. */

export { default as Card } from "./Card.svelte";
export { celebrate } from "./celebrate";
