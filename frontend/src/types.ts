/** The data of a game's page: types of the API's answers, and what the page itself says. */

import type { components } from "./api";
import type { Explanations } from "./explain/names";
import type { PythonPage } from "./lab/python";

type Schemas = components["schemas"];

/** A viewpoint: "public", "all", or a seat's number as text. */
export type Viewpoint = string;

/** A part of a sentence: text, a player by seat, or a card as text (`7S`). */
export type Part = Schemas["Frame"]["parts"][number];

export type Seat = Omit<Schemas["ReplaySeat"], "player">;
export type Outcome = Schemas["Outcome"];

/** A game without the fields that an export as one page does not have. */
export type Game = Omit<Schemas["ReplayGame"], "seats" | "clock" | "finished_at" | "rematch" | "rematch_of"> & {
  seats: Seat[];
  clock?: Clocks;
};

/** A highlight of the game. */
export type Mark = Schemas["Mark"];

/** What a viewer sees of a game. Each board knows the fields of its kind. */
export type Observation = Frame["observation"];

/** The game directly after one event, from the chosen viewpoint. */
export type Frame = Schemas["Frame"];

/** Cards, dice or words that lie together, for the generic board. */
export type TableZone = Schemas["TableZone"];

/** The answer of `GET /api/v1/games/<id>/replay/`. */
export type Replay = Omit<Schemas["Replay"], "game" | "eyes" | "allowed_eyes" | "asks"> & {
  game: Game;
  asks?: string;
};

/** The answer of `GET /api/v1/games/<id>/review/<seat>/`. */
export type Review = Omit<Schemas["Review"], "review"> & {
  review: { curve: CurvePoint[]; decisions?: Decision[] } | null;
};
export type Mistake = Schemas["Mistake"];

/** A point of a review's curve: a seat's chance after `version` events, and its standard error, in shares of 1. */
export type CurvePoint = Pick<Schemas["CurvePoint"], "version" | "chance" | "error">;

/** A decision in a review: after how many events it was made, the event of its move, and what it cost. */
export interface Decision {
  version: number;
  event: number;
  mark: string;
  cost: number | null;
  error: number | null;
}

/** A legal move: its text, and its words. */
export type Move = Schemas["LegalMove"];

export type SeatClock = Schemas["SeatClock"];

/** The clocks at the server's time `at`, as far as the viewer may see them. */
export type Clocks = Schemas["Clocks"];

/** A proposal to abort, or after the end to play a rematch. */
export type Offer = Schemas["StandingOffer"];

/** The answer of `GET /api/v1/games/<id>/turn/`. */
export type Turn = Schemas["Turn"];

/** The answer of `GET /api/v1/kinds/<kind>/introduction/`: a step, and what became of a move. */
export type Introduction = Schemas["Introduction"];

/** A step of an introduction, as its page has it. `address` is that of the introduction in the API. */
export type Lesson = Pick<Introduction, "step" | "steps" | "made" | "text" | "mistake" | "todo"> & {
  address: string;
  play: string;
};

/** How the game ended, and the rematch. The result is null while it is sealed. */
export type Over = Schemas["Over"];

/** The reader's shortcuts: whether they are on, and the key of each by its name. */
export interface Shortcuts {
  on: boolean;
  keys: Record<string, string>;
}

/** Facts and addresses that the page gives besides the replay. */
export interface Page {
  replay: string;
  events: string;
  /** Addresses of the downloads; "" while the game is not public. */
  text: string;
  json: string;
  /** The addresses of the game in the API, of its rules and of the login; the build of the pages. */
  game: string;
  rules: string;
  /** The address of what the things on the table are and do, or that itself. */
  explanations?: string | Explanations;
  /** The address of the reader's games; the time control in words, or "". */
  mine: string;
  clock: string;
  /** How late spectators see the running game, in words; "" or missing for at once. */
  late?: string;
  login: string;
  build: string;
  /** The address of the board in the kind's package, or "". */
  board: string;
  /** The seat in which the reader plays or played; null for other readers. */
  seat?: number | null;
  /** The address to which a player posts for a rematch, or "". */
  again: string;
  /** Where the reader may go when their game is over; missing or null for others, and before the end. */
  after?: After | null;
  /** The result of the server's check of the log; null while it cannot be checked. */
  seal: Seal | null;
  /** The address that checks the game again; "" while the game is not public. */
  verify: string;
  /** The address of the small page for other sites, or "". */
  embed: string;
  /** The address of the page for broadcasters, or "". */
  broadcast_page?: string;
  /** True on the page for broadcasters, which has no controls. */
  broadcast?: boolean;
  /** True on the page for commentators, which asks for what is new, because it has no stream. */
  commentary?: boolean;
  /** True on the small page. */
  embedded?: boolean;
  /** On the page of an introduction: its first step. */
  lesson?: Lesson;
  /** The moment that the page is about, which is shown first; undefined for a page about the whole game. */
  moment?: number;
  /** The last event of a long game that the page has; null if it has all. */
  told: number | null;
  /** The game's page; who can continue the game from a moment, or null if nobody can. */
  home: string;
  /** False for a game that has no page, as in the lab: its moments have no links. */
  linked?: boolean;
  go_on: GoOn | null;
  /** The address of the game's reviews, without the seat, or "". */
  review: string;
  /** Where the reader's browser gets Python, to analyse moments; missing or null while the game is not public. */
  python?: PythonPage | null;
  /** Whether the page has a section with the game's result. */
  result?: boolean;
  /** The reader's shortcuts, and the address of the page that changes them, or "". */
  shortcuts: Shortcuts;
  keys: string;
}

/** A page with its name. */
interface Way {
  words: string;
  address: string;
}

/** After a player's game: the game that waits for them next, the address of their review or "", and the match. */
export interface After {
  next: Way | null;
  review: string;
  match: Way | null;
}

/** How to continue a game from a moment: the address, whether the reader is logged in, and the built-in bots. */
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
