/** What the server hands to the island: shapes of `GET /api/v1/games/<id>/replay/`. */

/** "public", "all", or a seat's number as text. */
export type Eyes = string;

/** A piece of a sentence: plain words, a player by seat, or a card as text (`7S`). */
export type Part = string | { seat: number } | { card: string };

export interface Seat {
  seat: number;
  name: string;
  bot: boolean;
  version: string | null;
  player_url: string | null;
  /** How the player left; "" or nothing while they play. */
  left?: string;
}

export interface Outcome {
  termination: string;
  scores: number[];
  placings: number[];
}

export interface Game {
  id: string;
  kind: string;
  title: string;
  options: Record<string, unknown>;
  terms?: Record<string, unknown>;
  seats: Seat[];
  status: "playing" | "finished" | "aborted";
  outcome: Outcome | null;
  termination: string | null;
  opened_at: string;
  /** The moment of another game that this one goes on from. */
  continued?: { game: string; version: number } | null;
}

/** A moment worth a sign above the scrubber. `seat` is whose it is, where it is anybody's. */
export interface Mark {
  kind:
    "lead" | "capture" | "chain" | "got" | "streak" | "clear" | "round" | "take" | "race" | "out" | "bomb" | "threat";
  seat: number | null;
  words: string;
}

export type Observation = Record<string, unknown>;

/** The game just after one event that a person would step to, as the chosen viewer had it then. */
export interface Frame {
  version: number;
  ms: number;
  seat: number | null;
  words: string;
  parts: Part[];
  marks: Mark[];
  event: Record<string, unknown>;
  observation: Observation;
  /** Spots, from 1, that a flipped card may go to. */
  offers: number[];
}

export interface Replay {
  game: Game;
  eyes: Eyes;
  allowed_eyes: Eyes[];
  version: number;
  ground: { title: string; best: "highest" | "lowest" };
  /** Plate Spinner: what is printed on each plate and rim, by id; empty for other kinds. */
  items?: Record<string, unknown>;
  frames: Frame[];
  scores: number[][];
  /** What one's own seat needs to act; null for everybody else, and when the game is over. */
  turn?: Turn | null;
}

/** A legal move: its text, and the server's words for it. */
export interface Move {
  move: string;
  words: string;
  /** It destroys something: the page asks once more. */
  grave?: boolean;
  /** In beats: the bundle goes on after it. */
  goes_on?: boolean;
}

/** One seat's clock, as of `Clocks.at`. */
export interface SeatClock {
  seat: number;
  running: boolean;
  move_ms: number;
  bank_ms: number;
  deadline: string | null;
  /** Why it stands still though it has begun; empty where it does not. */
  paused: string;
}

/** The clocks as the viewer may know them at the server's time `at`. */
export interface Clocks {
  kind: "live" | "correspondence" | null;
  at: string;
  deadline: string | null;
  seats: SeatClock[];
}

/** What people offer one another beside their moves. */
export interface Offer {
  what: "abort" | "rematch";
  by: number[];
  declined: number[];
}

/** Shapes of `GET /api/v1/games/<id>/turn/`. */
export interface Turn {
  seat: number;
  version: number;
  may_act: boolean;
  legal: Move[];
  /** A move of which any choice among its things is as legal. */
  any_of: { move: string; wait_ms: number } | null;
  pace: "turns" | "beats" | "live";
  beat: number | null;
  given: string[] | null;
  waiting_for: number[];
  clock: Clocks;
  present: number[];
  offers: Offer[];
  may: { resign: boolean; offer_abort: boolean; rematch: boolean };
  over: Over | null;
  before_go?: { ready: number[]; countdown: boolean; begins_at: string | null };
  observation?: Observation;
}

/** How the game ended, and the game that follows it. The result is null while it is sealed. */
export interface Over {
  words: string;
  result: Outcome | null;
  rematch: string | null;
}

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
