import type { Board } from "../../contract";
import { drawnBy } from "../../parts/svelte";
import ChineseTen from "./ChineseTen.svelte";
import { touches } from "./touches";

export const board: Board = { ...touches, mount: drawnBy(ChineseTen) };
