/** The contract of all boards. Authors of kinds find it in docs/reference/kinds.md. */

import type { Frame, Move, Replay, Turn } from "../types";

/** What a board shows. Its fields always have the current values; the board's `update` is called after each change. */
export interface Scene {
  readonly frame: Frame;
  readonly replay: Replay;
  /** The seat of the viewer; null for a viewer who does not play. */
  readonly seat: number | null;
  /** What can be touched at a table; undefined in the replay viewer. */
  readonly touching: Touching | undefined;
  /** Draw the clock of a seat into `place`. Returns a function that removes it. Undefined unless a game is running. */
  readonly clock: ((seat: number, place: HTMLElement) => () => void) | undefined;
}

/** How a thing looks now. */
export interface Look {
  offered: boolean;
  chosen: boolean;
  /** The thing is not available for the current choice and is drawn lower. */
  low: boolean;
  /** The thing can be reached by keyboard although nothing can be played: the player plans a move. */
  reachable?: boolean;
}

export interface Touching {
  /** Return how a thing looks, by its id. */
  look(id: string): Look;
  touch(id: string): void;
}

/** A board that is drawn on a page. */
export interface Drawn {
  update(): void;
  destroy(): void;
}

export type Draw = (place: HTMLElement, scene: Scene) => Drawn;

/** A thing in the tray: a card (null: face down, smaller in a row), a die or a rank. */
export interface Item {
  id: string;
  label: string;
  card?: string | null;
  die?: number;
  rank?: string;
  seat?: number;
  /** The hand has a card of this rank. */
  held?: boolean;
}

/** A row of the tray, with things of the player. */
export interface Zone {
  title: string;
  /** The sort of items decides how they are drawn. */
  sort: "hand" | "row" | "dice" | "ranks" | "seats";
  items: Item[];
  /** For dice that were just rolled: the event, and what they show now, as `12:356`. */
  rolled?: string;
}

/** How touches become moves. It reads the text of a move and never decides whether a move is legal. */
export interface Touches {
  /** Return the ids of the things that a legal move uses. */
  things(move: string, frame: Frame | undefined): string[];
  /** Return the rows of the tray for the player whose turn it is. */
  zones(frame: Frame, turn: Turn): Zone[];
  /**
   * Return the move that a touch probably means if no legal move uses the thing. The server then says why it is
   * refused.
   */
  attempt?(id: string, chosen: readonly string[], legal: readonly Move[]): string;
  /**
   * Return the thing on which a move's own things are dropped, if the move does not mention it: the pile on which a
   * card is laid. Without it, they can be dropped anywhere on the felt.
   */
  onto?(move: string, frame: Frame | undefined): string | undefined;
  /**
   * Return keys of the kind's explanations that fit a thing now, besides its own name and sort: `now:8` for `pile` if
   * an 8 is on top.
   */
  explains?(name: string, frame: Frame, replay: Replay): string[];
  /** Return whether two legal moves come to the same, so that the player need not choose between them. */
  same?(one: string, other: string, frame: Frame | undefined, replay: Replay): boolean;
  /** The start of the ids of things that can stand for each other; "" for none. */
  oneOf?: string;
}

export interface Board extends Touches {
  mount: Draw;
  /** Drawn beside the replay, below the list of moves. */
  beside?: Draw;
}
