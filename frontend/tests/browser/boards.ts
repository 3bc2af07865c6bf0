/** The boards of all kinds, loaded together. */

import type { Board } from "../../src/boards/contract";
import { board as generic } from "../../src/boards/generic/board";

const BOARDS = import.meta.glob<Board>("../../src/boards/kinds/*/board.ts", { import: "board", eager: true });

/** Return the board of a kind, or the generic board if it has none. */
export const boardOf = (kind: string): Board => BOARDS[`../../src/boards/kinds/${kind}/board.ts`] ?? generic;
