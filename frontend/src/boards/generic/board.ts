import type { Board } from "../contract";
import { drawnBy } from "../parts/svelte";
import GenericBoard from "./GenericBoard.svelte";
import { touches } from "./touches";

export const board: Board = { ...touches, mount: drawnBy(GenericBoard) };
