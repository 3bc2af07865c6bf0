/** What the server hands to the island: answers of the API by their types, and what the page itself says. */

import type { components } from "./api";

type Schemas = components["schemas"];

/** `Type` with fields whose values the OpenAPI document describes less closely. */
type Narrowed<Type, Fields> = Omit<Type, keyof Fields> & Fields;

/** "public", "all", or a seat's number as text. */
export type Eyes = string;

/** A piece of a sentence: plain words, a player by seat, or a card as text (`7S`). */
export type Part = string | { seat: number } | { card: string };

/** A seat. `player_url` is null where there is no site to lead to, as in the one-page export. */
export type Seat = Narrowed<Omit<Schemas["ReplaySeat"], "player">, { player_url: string | null }>;
export type Outcome = Schemas["Outcome"];

export type Game = Narrowed<
  Omit<Schemas["ReplayGame"], "clock" | "finished_at" | "rematch" | "rematch_of">,
  { seats: Seat[]; status: "playing" | "finished" | "aborted" }
>;

/** A moment worth a sign above the scrubber. `seat` is whose it is, where it is anybody's. */
export type Mark = Schemas["Mark"];

/** What a viewer sees of a game; each board knows the fields of its kind. */
export type Observation = Schemas["Frame"]["observation"];

/** The game just after one event that a person would step to, as the chosen viewer had it then. */
export type Frame = Narrowed<Schemas["Frame"], { parts: Part[]; zones?: TableZone[] }>;

/** A place on the table as data, for the board that draws any kind. */
export type TableZone = Narrowed<Schemas["TableZone"], { sort: "hand" | "cards" | "pile" | "dice" | "words" }>;

/** The answer of `GET /api/v1/games/<id>/replay/`. */
export type Replay = Narrowed<
  Schemas["Replay"],
  { game: Game; ground: { title: string; best: "highest" | "lowest" }; frames: Frame[]; turn: Turn | null }
>;

/** A legal move: its text, and the server's words for it. */
export type Move = Schemas["LegalMove"];

export type SeatClock = Schemas["SeatClock"];

/** The clocks as the viewer may know them at the server's time `at`. */
export type Clocks = Narrowed<Schemas["Clocks"], { kind: "live" | "correspondence" | null }>;

/** What people offer one another beside their moves. */
export type Offer = Narrowed<Schemas["StandingOffer"], { what: "abort" | "rematch" }>;

/** The answer of `GET /api/v1/games/<id>/turn/`. */
export type Turn = Narrowed<Schemas["Turn"], { clock: Clocks; offers: Offer[] }>;

/** How the game ended, and the game that follows it. The result is null while it is sealed. */
export type Over = Schemas["Over"];

/** Shortcuts of a single character, as the reader has them: whether they are on, and the key of each by its name. */
export interface Shortcuts {
  on: boolean;
  keys: Record<string, string>;
}

/** What the page says of the whole game besides its replay. */
export interface Page {
  replay: string;
  events: string;
  /** Where the game can be downloaded; empty while it is not open to all. */
  text: string;
  json: string;
  /** The game's address in the API, its rules, where to sign in, and which build of the pages this is. */
  game: string;
  rules: string;
  /** The list of one's own games; the clock that the terms give, in words, empty for none. */
  mine: string;
  clock: string;
  login: string;
  build: string;
  /** Where the package of the kind offers its board; empty for none. */
  board: string;
  /** The seat of whoever looks, where they play or played; null for everybody else. */
  seat?: number | null;
  /** Where who played here asks for another game; empty where there is none. */
  again: string;
  /** What verifying the log on the server came to; null while it cannot be done. */
  seal: Seal | null;
  /** Where the server verifies the game anew; empty while it is not open to all. */
  verify: string;
  /** The small page for other sites; empty where there is none. */
  embed: string;
  /** Whether this is that small page. */
  embedded?: boolean;
  /** Up to which event the page has the replay of a long game; null where it has all that there is. */
  told: number | null;
  /** The game's own page, and who would play on from here; null where nobody may. */
  home: string;
  go_on: GoOn | null;
  /** The reader's keyboard shortcuts, and where they are changed; empty where they cannot be. */
  shortcuts: Shortcuts;
  keys: string;
}

/** What going on from a moment takes: where to ask, whether somebody is signed in, and the built-in bots by program. */
export interface GoOn {
  post: string;
  signed_in: boolean;
  bots: { program: string; name: string }[];
}

export interface Seal {
  sound: boolean;
  sentence: string;
  how: string;
}
