import type { Board } from "../../contract";
import { drawnBy } from "../../parts/svelte";
import Plates from "./Plates.svelte";
import ScoreSheet from "./ScoreSheet.svelte";
import { touches } from "./touches";

export const board: Board = { ...touches, mount: drawnBy(Plates), beside: drawnBy(ScoreSheet) };
