import type { Board } from "../../contract";
import { drawnBy } from "../../parts/svelte";
import Palace from "./Palace.svelte";
import { touches } from "./touches";

export const board: Board = { ...touches, mount: drawnBy(Palace) };
