/**
 * The one place where the table's state changes. It knows the page through `World` only, and no rules: what can be
 * done comes from the server's `turn`, what has been done from its replay.
 */

import { _ } from "../gettext";
import type { Touches } from "../boards/contract";
import { settled as settledFrame } from "../state";
import type { Frame, Move, Replay, Turn } from "../types";
import { kept, type Named, nameOf, settled, touched } from "./narrow";
import { type Answer, deliver, type Fault, faultOf } from "./send";
import { skewOf } from "./clock";

export interface Reason {
  sentence: string;
  clause: string;
}

export interface TableState {
  replay: Replay;
  /** How touches become moves in this kind of game. */
  touches: Touches;
  turn: Turn | null;
  /** The index of the frame that the board shows: it follows the newest, a step at a time. */
  at: number;
  /** Ids of the things that have been touched. */
  chosen: string[];
  /** A move that is to be confirmed. */
  staged: Named | null;
  /** In beats: the moves of the bundle so far, and the turn after them. */
  making: Move[];
  trial: Turn | null;
  /** In beats: a bundle was given and is being made anew. */
  changing: boolean;
  sending: "" | "sending" | "again";
  /** What the rules say to a touch. */
  reason: Reason | null;
  /** A sentence about something other than the game. */
  notice: string;
  /** The session is over: the notice offers to sign in. */
  signedOut: boolean;
  link: "open" | "lost";
  stale: boolean;
  confirm: boolean;
  help: boolean;
  leaving: boolean;
  /** By how many ms the server's clock is ahead; when the next roll may be, by the local clock. */
  skew: number;
  restUntil: number;
}

export interface World {
  load(since: number): Promise<Replay>;
  turn(after: readonly string[]): Promise<Turn>;
  why(move: string): Promise<{ legal: boolean } & Partial<Reason>>;
  post(path: string, body: Record<string, unknown>): Promise<Answer>;
  wait(ms: number): Promise<void>;
  now(): number;
  key(): string;
  /** Nothing moves on this page. */
  still(): boolean;
  keepConfirm(on: boolean): void;
  /** Go to another game; "" loads this one again. */
  go(game: string): void;
}

/** The seat is not this browser's any more: its clock ran out, or its player has signed out elsewhere. */
export class NotYours extends Error {}

/** The server has answered, and refused. */
export class Refused extends Error {
  constructor(readonly fault: Fault) {
    super(fault.sentence);
  }
}

export const STEP_MS = 340;
const MOST_STEPS = 6;

export function tableState(replay: Replay, touches: Touches, confirm: boolean, at: number): TableState {
  const turn = replay.turn ?? null;
  return {
    replay,
    touches,
    turn,
    at: Math.max(0, replay.frames.length - 1),
    chosen: [],
    staged: null,
    making: [],
    trial: null,
    changing: false,
    sending: "",
    reason: null,
    notice: "",
    signedOut: false,
    link: "open",
    stale: false,
    confirm,
    help: false,
    leaving: false,
    skew: turn ? skewOf(turn.clock.at, at) : 0,
    restUntil: at + (turn?.any_of?.wait_ms ?? 0),
  };
}

/** Whether moves are put together and chosen now. */
export function isActing(state: TableState): boolean {
  return Boolean(state.turn?.may_act) && (!state.turn?.given || state.changing);
}

/** The legal moves now, with what each mentions. */
export function movesOf(state: TableState): Named[] {
  if (!isActing(state)) return [];
  const frame = frameNow(state);
  const all = (state.trial ?? state.turn)?.legal ?? [];
  const stands = anyOf(state)?.move;
  return all
    .filter(({ move }) => move !== stands)
    .map((move) => ({ ...move, things: state.touches.things(move.move, frame) }));
}

export function anyOf(state: TableState): Turn["any_of"] {
  return isActing(state) ? ((state.trial ?? state.turn)?.any_of ?? null) : null;
}

/** The frame that the board shows: after the bundle in the making, where there is one. */
export function frameNow({ replay, at, trial }: TableState): Frame | undefined {
  const frame = settledFrame(replay.frames[at], replay);
  if (!frame || !trial?.observation) return frame;
  const { zones, ...rest } = frame;
  void zones; // of the position before
  return { ...rest, observation: trial.observation };
}

/** `roll 35`: the move that stands for many, without the things that are held back; "" for none left. */
export function without(move: string, held: readonly string[]): string {
  const [verb = "", things = ""] = move.split(" ");
  const left = [...things];
  for (const id of held) {
    const place = left.indexOf(nameOf(id).split(":")[1] ?? "");
    if (place >= 0) left.splice(place, 1);
  }
  return left.length ? `${verb} ${left.join("")}` : "";
}

export class TableController {
  /** What the table draws: one plain object, made anew by each change. */
  state: TableState;
  private extending: Promise<void> | null = null;
  private more = false;
  private stepping = false;
  /** Where to what is being sent goes, and what was clicked meanwhile. */
  private onItsWay = "";
  private following = "";

  constructor(
    first: TableState,
    private readonly world: World,
  ) {
    this.state = $state.raw(first);
  }

  change(part: Partial<TableState>): void {
    this.state = { ...this.state, ...part };
  }

  private get touches(): Touches {
    return this.state.touches;
  }

  /** A thing was touched. */
  touch(id: string): void {
    if (this.state.sending) return;
    const moves = movesOf(this.state);
    const chosen = touched(moves, this.state.chosen, id, this.touches.oneOf) ?? this.held(id);
    if (!chosen) {
      void this.ask(this.touches.attempt?.(id, this.state.chosen, this.state.turn?.legal ?? []) ?? "");
      return;
    }
    this.change({ chosen, staged: null, reason: null, notice: "" });
    const move = settled(moves, chosen, this.touches.oneOf);
    if (move && chosen.length) this.choose(move);
  }

  /** Things that can be held back from the move that stands for many. */
  private held(id: string): string[] | null {
    const any = anyOf(this.state);
    if (!any || !this.touches.things(any.move, frameNow(this.state)).includes(nameOf(id))) return null;
    const dice = this.state.chosen.filter((each) => each.startsWith(this.touches.oneOf ?? ""));
    return dice.includes(id) ? dice.filter((each) => each !== id) : [...dice, id];
  }

  /** Ask the rules why a touch is no move. */
  private async ask(move: string): Promise<void> {
    if (!move || !this.state.turn) return;
    try {
      const answer = await this.world.why(move);
      if (!answer.legal) this.change({ reason: { sentence: answer.sentence ?? "", clause: answer.clause ?? "" } });
    } catch (error) {
      this.unanswered(error);
    }
  }

  /** A move was chosen: it is played, or laid out to be confirmed. */
  choose(move: Named): void {
    if (this.state.sending) return;
    if ((this.state.confirm && !move.goes_on) || move.grave) this.change({ staged: move, reason: null });
    else void this.play(move);
  }

  /** The move that stands for many, without what is held back. */
  roll(all: boolean): void {
    const any = anyOf(this.state);
    if (!any || this.state.sending) return;
    const move = without(any.move, all ? [] : this.state.chosen);
    if (!move) return;
    const dice = move.split(" ")[1] ?? "";
    this.choose({ move, words: _("Roll {dice}", { dice: [...dice].join(", ") }), things: [] });
  }

  confirm(): void {
    if (this.state.staged && !this.state.sending) void this.play(this.state.staged);
  }

  /** One step back: the staged move, what is chosen, then the last move of the bundle. */
  back(): void {
    const { staged, chosen, making, reason, leaving } = this.state;
    if (leaving) this.change({ leaving: false });
    else if (staged) this.change({ staged: null, chosen: [] });
    else if (chosen.length || reason) this.change({ chosen: [], reason: null });
    else if (making.length) void this.make(making.slice(0, -1));
    else if (this.state.changing) this.change({ changing: false });
  }

  private async play(move: Named): Promise<void> {
    const { turn } = this.state;
    if (!turn) return;
    if (move.goes_on) return this.make([...this.state.making, move]);
    this.change({ sending: "sending", reason: null, notice: "" });
    const key = this.world.key();
    const body =
      turn.pace === "beats"
        ? { beat: turn.beat, moves: [...this.state.making.map((each) => each.move), move.move], idempotency_key: key }
        : { move: move.move, expected_version: turn.version, idempotency_key: key };
    await this.send(turn.pace === "beats" ? "bundles/" : "moves/", body);
  }

  /** In beats: the bundle so far, and what may follow it. */
  private async make(making: Move[]): Promise<void> {
    this.change({ sending: "sending", reason: null });
    try {
      const trial = making.length ? await this.world.turn(making.map((each) => each.move)) : null;
      this.change({ making, trial, chosen: [], staged: null, sending: "" });
    } catch (error) {
      this.change({ sending: "" });
      if (error instanceof Refused && error.fault.status === 409) await this.putBack(error.fault);
      else this.unanswered(error);
    }
    this.goOn();
  }

  /**
   * The server does not know the bundle in the making as one that can be given: start over from how the game stands.
   */
  private async putBack(fault: Fault): Promise<void> {
    const before = this.state.turn?.version;
    this.change({ making: [], trial: null, chosen: [], staged: null });
    await this.extend().catch(() => undefined);
    const moved = this.state.turn?.version !== before;
    this.change({
      notice: moved
        ? _("The game has changed, so your unfinished moves were undone. This is the current position.")
        : fault.sentence,
    });
  }

  /** Say why a question was not answered. */
  private unanswered(error: unknown): void {
    if (error instanceof NotYours)
      this.world.go(""); // to look on as everybody does
    else
      this.change({
        notice: error instanceof Refused ? error.fault.sentence : _("The server could not be reached. Try again."),
      });
  }

  /** What needs no more than to be said: ready, resign, the offers and the answers to them. What is clicked while
   *  something else is on its way goes after it. */
  act(what: string): void {
    const path = `${what}/`;
    if (!this.state.sending) void this.send(path, { idempotency_key: this.world.key() });
    else if (path !== this.onItsWay) this.following = what;
  }

  /** Send what was clicked meanwhile. */
  private goOn(): void {
    const what = this.following;
    this.following = "";
    if (what) this.act(what);
  }

  /** Send until there is an answer, and go on from what it says. */
  private async send(path: string, body: Record<string, unknown>): Promise<void> {
    this.change({ sending: "sending" });
    this.onItsWay = path;
    const answer = await deliver({
      post: () => this.world.post(path, body),
      wait: (ms) => this.world.wait(ms),
      again: () => this.change({ sending: "again" }),
    });
    const fault = faultOf(answer);
    if (fault) await this.refused(fault);
    else {
      this.change({ sending: "", chosen: [], staged: null, making: [], trial: null, changing: false, leaving: false });
      if (answer.body.turn) this.turned(answer.body.turn as Turn);
    }
    this.onItsWay = "";
    await this.extend().catch(() => undefined);
    this.goOn();
  }

  private async refused(fault: Fault): Promise<void> {
    const gone = fault.status === 403 || fault.code === "game_over" || fault.code === "unknown";
    if (fault.code === "illegal_move")
      this.change({ reason: { sentence: fault.sentence, clause: fault.clause ?? "" } });
    else if (fault.code === "stale_version" || fault.code === "stale_beat")
      this.change({
        notice: _(
          "The game changed before your move arrived, so your move was not played. This is the current position.",
        ),
      });
    else if (fault.code === "not_signed_in")
      this.change({ notice: _("You are logged out. Log in again to continue."), signedOut: true });
    else this.change({ notice: fault.sentence });
    this.change({ sending: "", staged: null, chosen: [], ...(gone ? {} : { making: [], trial: null }) });
  }

  /** A turn has come from the server. What was chosen stays where the same moves are still open. */
  turned(turn: Turn | null): void {
    const before = this.state.turn;
    if (turn && before && turn.version < before.version) return;
    if (turn?.over?.rematch) this.world.go(turn.over.rematch);
    else if (turn && !turn.over && !turn.may.resign) this.world.go(""); // who has left looks on as everybody does
    const same = JSON.stringify([before?.legal, before?.beat]) === JSON.stringify([turn?.legal, turn?.beat]);
    const now = this.world.now();
    const times = turn ? { skew: skewOf(turn.clock.at, now), restUntil: now + (turn.any_of?.wait_ms ?? 0) } : {};
    const fresh = same ? {} : { chosen: [], staged: null, making: [], trial: null, changing: false, reason: null };
    const lost =
      !same && this.state.making.length
        ? { notice: _("The beat has ended, so your unfinished moves were undone.") }
        : {};
    this.change({ turn, ...times, ...fresh, ...lost });
  }

  /** Fetch what is new. Asked again while it runs, it runs once more after. */
  extend(): Promise<void> {
    this.more = true;
    this.extending ??= this.fetchAll().finally(() => (this.extending = null));
    return this.extending;
  }

  private async fetchAll(): Promise<void> {
    while (this.more) {
      this.more = false;
      try {
        this.take(await this.world.load(this.state.replay.version));
      } catch (error) {
        if (error instanceof NotYours) this.world.go(""); // to look on as everybody does
        throw error;
      }
    }
  }

  /** Take in what came after our version; what we have already is not doubled. */
  private take(news: Replay): void {
    const { replay } = this.state;
    const last = replay.frames.at(-1)?.version ?? 0;
    const frames = news.frames.filter((frame) => frame.version > last);
    const scores = news.scores.slice(news.frames.length - frames.length);
    const version = Math.max(news.version, replay.version);
    const items = Object.keys(news.items ?? {}).length ? news.items : replay.items;
    this.change({
      replay: {
        ...news,
        version,
        frames: [...replay.frames, ...frames],
        scores: [...replay.scores, ...scores],
        ...(items ? { items } : {}),
      },
    });
    this.turned(news.turn ?? null);
    void this.step();
  }

  /** Let the board follow, one thing at a time; far behind, or where time presses, it jumps. */
  private async step(): Promise<void> {
    if (this.stepping) return;
    this.stepping = true;
    for (;;) {
      const end = this.state.replay.frames.length - 1;
      const behind = end - this.state.at;
      if (behind <= 0) break;
      const jump = behind > MOST_STEPS || this.state.turn?.pace === "live" || this.world.still();
      this.change({ at: jump ? end : this.state.at + 1 });
      if (!jump && behind > 1) await this.world.wait(STEP_MS);
    }
    this.stepping = false;
  }

  setConfirm(confirm: boolean): void {
    this.world.keepConfirm(confirm);
    this.change({ confirm });
  }

  /** The moves to which what is chosen has come down. */
  kept(): Named[] {
    return kept(movesOf(this.state), this.state.chosen, this.touches.oneOf);
  }
}
