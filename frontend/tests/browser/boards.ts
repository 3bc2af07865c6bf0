/** The boards of all kinds, loaded at once. */

import type { Board } from "../../src/boards/contract";
import { board as generic } from "../../src/boards/generic/board";

const BOARDS = import.meta.glob<Board>("../../src/boards/kinds/*/board.ts", { import: "board", eager: true });

/** The board of a kind; the general one for a kind that has none. */
export const boardOf = (kind: string): Board => BOARDS[`../../src/boards/kinds/${kind}/board.ts`] ?? generic;
