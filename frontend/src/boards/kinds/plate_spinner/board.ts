import type { Board } from "../../contract";
import { drawnBy } from "../../parts/svelte";
import PlateSpinner from "./PlateSpinner.svelte";
import { touches } from "./touches";

export const board: Board = { ...touches, mount: drawnBy(PlateSpinner) };
