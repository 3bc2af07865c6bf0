/** What the board of a kind of game is: docs/reference/kinds.md says it for authors of kinds. */

import type { Frame, Move, Replay, Turn } from "../types";

/** What a board shows. Its fields always have the present values; the board's `update` follows each change. */
export interface Scene {
  readonly frame: Frame;
  readonly replay: Replay;
  /** The seat of whoever looks; null for somebody who does not play. */
  readonly seat: number | null;
  /** What can be touched at a table; undefined in the viewer of replays. */
  readonly touching: Touching | undefined;
}

/** How a thing is drawn now. */
export interface Look {
  offered: boolean;
  chosen: boolean;
  /** A choice of which this is no part lies low. */
  low: boolean;
}

export interface Touching {
  /** How to draw a thing, by its id. */
  look(id: string): Look;
  touch(id: string): void;
  /** Draw the clock of a seat into `place`. Returns how to take it away. */
  clock(seat: number, place: HTMLElement): () => void;
}

/** A board that stands on a page. */
export interface Drawn {
  update(): void;
  destroy(): void;
}

export type Draw = (place: HTMLElement, scene: Scene) => Drawn;

/** Something in the tray: a card (null: face down), a die or a rank. */
export interface Item {
  id: string;
  label: string;
  card?: string | null;
  die?: number;
  rank?: string;
  seat?: number;
  /** One of these is in the hand. */
  held?: boolean;
}

/** A row of the tray, in which a player's own things lie. */
export interface Zone {
  title: string;
  /** Which of the items it holds are drawn, and how. */
  sort: "hand" | "row" | "dice" | "ranks" | "seats";
  items: Item[];
}

/** How touches become moves. It reads how a move is written, and never decides whether one is legal. */
export interface Touches {
  /** The ids of the things that a legal move is about. */
  things(move: string, frame: Frame | undefined): string[];
  /** What lies in the tray of the player whose turn it is. */
  zones(frame: Frame, turn: Turn): Zone[];
  /** The move that a touch was meant as, where no legal move is about the thing: the server says why not. */
  attempt?(id: string, chosen: readonly string[], legal: readonly Move[]): string;
  /** The beginning of ids of things of which any one will do; "" for none. */
  oneOf?: string;
}

export interface Board extends Touches {
  mount: Draw;
  /** Drawn beside the replay, under the list of moves. */
  beside?: Draw;
}
