import type { Board } from "../../contract";
import { drawnBy } from "../../parts/svelte";
import PlatinumFish from "./PlatinumFish.svelte";
import { touches } from "./touches";

export const board: Board = { ...touches, mount: drawnBy(PlatinumFish) };
