/** What the server writes into the lab's page, and the viewer's page that is made from it. */

import type { Page, Shortcuts } from "../types";
import type { Bots } from "./upload";

export interface LabKind {
  kind: string;
  title: string;
  seats_min: number;
  seats_max: number;
  /** The names of the built-in bots that play it. */
  bots: string[];
  /** The addresses of the rules, of the explanations of its table, of its board ("": ours) and of its starters. */
  rules: string;
  explanations: string;
  board: string;
  starters: { size: string; title: string; address: string }[];
}

/** A decision of a finished game that the author wants to understand; without `version`, all decisions of the seat. */
export interface Moment {
  kind: string;
  /** The addresses of the game's export in the API and of its page. */
  export: string;
  game: string;
  seat: number;
  version: number | null;
}

export interface LabPage {
  kinds: LabKind[];
  /** The kind to begin with, and what is edited: its name, under which the text is kept, and its text. */
  kind: string;
  document: string;
  title: string;
  source: string;
  /** Of a version of a bot: its number as a player, and the address of its finished games in the API; else null. */
  past: { player: number; games: string; lab: string } | null;
  frame: string;
  wheels: string[];
  /** The second number of the Python in whose sandbox the server plays bots. */
  python_minor: number;
  language: string;
  shortcuts: Shortcuts;
  keys: string;
  moment: Moment | null;
  /** The file to play against, if the page was opened for that. */
  other: { name: string; source: string } | null;
  /** Null for who is not logged in. */
  bots: Bots | null;
  login: string;
}

/** Return the page of a viewer that shows a game of the lab. The server knows nothing of this game. */
export function viewerPage({ shortcuts, keys }: LabPage, { rules, explanations, board }: LabKind): Page {
  const nothing = { replay: "", events: "", text: "", json: "", game: "", mine: "", clock: "", login: "", build: "" };
  return {
    ...nothing,
    rules,
    explanations,
    board,
    again: "",
    seal: null,
    verify: "",
    embed: "",
    told: null,
    home: "",
    linked: false,
    go_on: null,
    review: "",
    shortcuts,
    keys,
  };
}
