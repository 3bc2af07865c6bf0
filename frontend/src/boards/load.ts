/** Finds the board of a kind: ours, the one from the kind's package, or the generic board. */

import type { Board } from "./contract";

const OURS = import.meta.glob<Board>("./kinds/*/board.ts", { import: "board" });

/** `address` is the board that the kind's package offers, or "". */
export async function boardOf(kind: string, address = ""): Promise<Board> {
  const ours = OURS[`./kinds/${kind}/board.ts`];
  if (ours) return ours();
  if (address) {
    try {
      return ((await import(/* @vite-ignore */ address)) as { board: Board }).board;
    } catch (error) {
      console.error(`The board of ${kind} could not be loaded; its position is shown by the general one.`, error);
    }
  }
  return (await import("./generic/board")).board;
}
