/**
 * The table's state changes only here. The controller reaches the page only through `World`, and knows no rules: the
 * server's `turn` lists the legal moves, and its frames say what happened.
 */

import { _ } from "../gettext";
import type { Touches } from "../boards/contract";
import { applyEnd, applyNews, type End, type News, newsIn } from "../news";
import { settled as settledFrame } from "../state";
import type { After, Frame, Move, Replay, Turn } from "../types";
import { type Changing, SINGLE_MS, stepMs } from "../motion/timing";
import { type Drop, dropsOf, moveOf } from "./drops";
import { kept, type Named, nameOf, settled, touched } from "./narrow";
import { type Answer, deliver, type Fault, faultOf } from "./send";
import { skewOf } from "./clock";

export interface Reason {
  sentence: string;
  clause: string;
}

export interface World {
  turn(after: readonly string[]): Promise<Turn>;
  why(move: string, after: readonly string[]): Promise<{ legal: boolean } & Partial<Reason>>;
  post(path: string, body: Record<string, unknown>): Promise<Answer>;
  wait(ms: number): Promise<void>;
  now(): number;
  key(): string;
  /** Return whether animations are off on this page. */
  still(): boolean;
  keepConfirm(on: boolean): void;
  /** Go to another game; "" reloads the present one. */
  go(game: string): void;
  /** A move is played when all its things were touched, not when it is the only one that is left. */
  readonly deliberate?: boolean;
}

/** The browser may no longer play this seat: the player lost it, or logged out in another tab. */
export class NotYours extends Error {}

/** The server refused a request. */
export class Refused extends Error {
  constructor(readonly fault: Fault) {
    super(fault.sentence);
  }
}

/** The most events that are shown one after the other. */
const MOST_STEPS = 12;

/** Return whether the player waits for others, and no bundle of beats is involved. */
function waits(turn: Turn | null): boolean {
  if (!turn || turn.over || turn.before_go || turn.given || turn.pace === "beats") return false;
  return turn.waiting_for.length > 0;
}

/** Return the frame with the position after the unfinished bundle, if there is one. */
function tried(frame: Frame | undefined, trial: Turn | null): Frame | undefined {
  if (!frame || !trial?.observation) return frame;
  const { zones, ...rest } = frame;
  void zones; // they belong to the position before the bundle
  return { ...rest, observation: trial.observation };
}

/** Return whether the server made `turn` before `known`. */
function isOlder(turn: Turn, known: Turn): boolean {
  if (turn.version !== known.version) return turn.version < known.version;
  return Date.parse(turn.clock.at) < Date.parse(known.clock.at);
}

/** Return a move such as `roll 356` without the held dice: `roll 35`. Returns "" if all are held. */
export function without(move: string, held: readonly string[]): string {
  const [verb = "", things = ""] = move.split(" ");
  const left = [...things];
  for (const id of held) {
    const place = left.indexOf(nameOf(id).split(":")[1] ?? "");
    if (place >= 0) left.splice(place, 1);
  }
  return left.length ? `${verb} ${left.join("")}` : "";
}

/** What `change` takes. */
type Changed = Omit<
  {
    -readonly [
      Name in keyof TableController as TableController[Name] extends Callable ? never : Name
    ]: TableController[Name];
  },
  "acting" | "planning" | "any" | "frame" | "moves"
>;
type Callable = (...given: never[]) => unknown;

export class TableController implements Changing {
  changing: Changing["changing"] = () => undefined;
  settle = (): void => undefined;
  replay: Replay;
  turn: Turn | null;
  /** The index of the frame on the board. It follows the newest frame one step at a time. */
  at: number;
  /** Ids of the things that the player has touched. */
  chosen: string[] = $state.raw([]);
  /** Ids of the things of a move that is chosen while others think. It is sent at the player's turn, if it is legal. */
  planned: string[] = $state.raw([]);
  /** A move that waits for the player's confirmation. */
  staged: Named | null = $state.raw(null);
  /** In beats: the bundle so far, and the turn after these moves. */
  making: Move[] = $state.raw([]);
  trial: Turn | null = $state.raw(null);
  /** In beats: the player is changing a bundle that was sent. */
  revising: boolean = $state(false);
  sending: "" | "sending" | "again" = $state("");
  /** Why the rules refuse the last touch. */
  reason: Reason | null = $state.raw(null);
  /** A sentence about something other than the game. */
  notice: string = $state("");
  /** The session has ended. The notice offers to log in. */
  signedOut: boolean = $state(false);
  /** Of the stream; it begins after the page. */
  link: "opening" | "open" | "lost" = $state("opening");
  stale: boolean = $state(false);
  /** The player wants to confirm each move. */
  confirms: boolean;
  help: boolean = $state(false);
  /** The way out of the game that the player is asked about. */
  asks: "" | "resign" | "offer-abort" = $state("");
  /** How many ms the server's clock is ahead; the local time in ms from which the next roll is allowed. */
  skew: number;
  restUntil: number;
  /** Where the player may go after the game; null until the page knows. */
  after: After | null = $state.raw(null);
  /** The page has a section with the result. */
  result: boolean = $state(false);
  /** Whether the player can choose moves now. */
  readonly acting = $derived.by(() => Boolean(this.turn?.may_act) && (!this.turn?.given || this.revising));
  /** Whether the player can plan a move while others think: in a game at a live pace, in which one waits. */
  readonly planning = $derived.by(
    () => !this.acting && !this.sending && waits(this.turn) && this.turn?.clock.kind !== "correspondence",
  );
  readonly any = $derived.by(() => (this.acting ? ((this.trial ?? this.turn)?.any_of ?? null) : null));
  /** The frame on the board. In beats, it shows the position after the unfinished bundle. */
  readonly frame = $derived.by(() => tried(settledFrame(this.replay.frames[this.at], this.replay), this.trial));
  /** The legal moves, each with the things that it mentions. */
  readonly moves = $derived.by(() => this.movesAt(this.frame));
  private stepping = false;
  /** Ends the present pause between two steps; the board then shows the newest event. */
  private hurry: (() => void) | null = null;
  /** The path of the request that is being sent, and the action that was clicked meanwhile. */
  private onItsWay = "";
  private following = "";

  constructor(
    replay: Replay,
    /** How touches become moves in this kind of game. */
    private readonly touches: Touches,
    private readonly world: World,
    confirms = false,
  ) {
    const [turn, now] = [replay.turn ?? null, world.now()];
    this.replay = $state.raw(replay);
    this.turn = $state.raw(turn);
    this.at = $state.raw(Math.max(0, replay.frames.length - 1));
    this.confirms = $state.raw(confirms);
    this.skew = $state.raw(turn ? skewOf(turn.clock.at, now) : 0);
    this.restUntil = $state.raw(now + (turn?.any_of?.wait_ms ?? 0));
  }

  /** Return the legal moves with the things that they mention in a frame. */
  private movesAt(frame: Frame | undefined): Named[] {
    if (!this.acting) return [];
    const all = (this.trial ?? this.turn)?.legal ?? [];
    const stands = this.any?.move;
    return all
      .filter(({ move }) => move !== stands)
      .map((move) => ({ ...move, things: this.touches.things(move.move, frame) }));
  }

  change(part: Partial<Changed>, ms = SINGLE_MS): void {
    if ((part.at !== undefined && part.at !== this.at) || (part.trial !== undefined && part.trial !== this.trial))
      this.changing({ ms, seat: this.moverOf(part) });
    Object.assign(this, part);
  }

  /** Return the seat whose event a change shows; in beats, the player tries out own moves. */
  private moverOf({ at }: Partial<Changed>): number | null {
    const seat = at === undefined ? this.turn?.seat : this.replay.frames[at]?.seat;
    return seat ?? null;
  }

  /** Show the newest event at once. */
  catchUp(): void {
    this.settle();
    this.hurry?.();
  }

  /** Handle a touch of a thing. */
  touch(id: string): void {
    if (this.planning) return this.plan(id);
    if (this.sending) return;
    const moves = this.moves;
    const place = this.placeFor(id);
    if (place) return this.layOn(place);
    const chosen = touched(moves, this.chosen, id, this.touches.oneOf) ?? this.held(id);
    const attempt = chosen && !this.misses(id, chosen) ? "" : this.attempt(id);
    if (!chosen || attempt) return void this.ask(attempt);
    this.change({ chosen, staged: null, reason: null, notice: "" });
    const move = settled(moves, chosen, this.touches.oneOf, (one, other) => this.comeToTheSame(one, other));
    const enough = this.world.deliberate ? (move?.things.length ?? 0) : 1;
    if (move && chosen.length >= enough) this.choose(move);
  }

  /** Return the touched place, if what is chosen can be laid on it though its moves do not mention it. */
  private placeFor(id: string): Drop | undefined {
    const [first] = this.chosen;
    if (!first || this.chosen.includes(id) || !this.touches.onto) return undefined;
    const drop = this.dropsOf(first).find(({ onto }) => onto === nameOf(id));
    return drop?.moves.every(({ things }) => !things.includes(drop.onto)) ? drop : undefined;
  }

  /** Play what is chosen on the touched place, as a drop there does. If it leaves a choice, the player makes it. */
  private layOn(place: Drop): void {
    const move = moveOf(place, this.chosen);
    this.change({ staged: null, reason: null, notice: "" });
    if (move) this.choose(move);
  }

  /** Return whether a touch meant a thing of the table for what was chosen, and no move uses both. */
  private misses(id: string, chosen: readonly string[]): boolean {
    const alone = chosen.length === 1 && chosen[0] === id;
    return alone && this.chosen.length > 0 && !this.chosen.includes(id) && !this.inTray().includes(nameOf(id));
  }

  private attempt(id: string): string {
    return this.touches.attempt?.(id, this.chosen, this.turn?.legal ?? []) ?? "";
  }

  private comeToTheSame(one: Named, other: Named): boolean {
    return this.touches.same?.(one.move, other.move, this.frame, this.replay) ?? false;
  }

  /** Add a thing to the planned move, or take it out. The place on which it is laid is no part of it. */
  private plan(id: string): void {
    const { planned } = this;
    const move = planned[0] ? this.meant(planned[0], id) : "";
    if (move && this.touches.onto?.(move, this.frame) === nameOf(id)) return;
    this.change({ planned: planned.includes(id) ? planned.filter((each) => each !== id) : [...planned, id] });
  }

  /** At the player's turn: send the planned move, if it is one legal move. If it can be several, the player chooses. */
  private playPlanned(): void {
    const { planned, replay } = this;
    if (!planned.length || !this.acting) return;
    this.change({ planned: [] });
    const moves = this.movesAt(settledFrame(replay.frames[replay.frames.length - 1], replay));
    const like = kept(moves, planned).filter(({ things }) => things.length === planned.length);
    const move = like.length === 1 ? (like[0] as Named) : settled(moves, planned, this.touches.oneOf);
    if (!move && kept(moves, planned, this.touches.oneOf).length) this.change({ chosen: planned });
    else if (!move) this.change({ notice: _("The rules do not allow the move that you had planned.") });
    else if (move.grave) this.change({ staged: move });
    else void this.play(move);
  }

  /** Return whether a thing can be lifted now. */
  canDrag(id: string): boolean {
    const { sending, staged } = this;
    if (sending || staged) return false;
    return this.planning ? true : this.acting && (this.inTray().includes(nameOf(id)) || this.isOpen(id));
  }

  private isOpen(id: string): boolean {
    return this.moves.some(({ things }) => things.includes(nameOf(id)));
  }

  /** Return the names of the things in the tray. */
  private inTray(): string[] {
    const { turn } = this;
    const frame = this.frame;
    const zones = turn && frame ? this.touches.zones(frame, turn) : [];
    return zones.flatMap(({ items }) => items.map((item) => nameOf(item.id)));
  }

  /** Return what is dragged with a thing: the things that the player has chosen, if a move uses all of them. */
  private dragged(id: string): string[] {
    const { chosen } = this;
    const all = chosen.includes(id) ? chosen : [...chosen, id];
    return kept(this.moves, all).length ? all : [id];
  }

  /** Return where a thing can be dropped. */
  dropsOf(id: string): Drop[] {
    const dragged = { ids: this.dragged(id), tray: this.inTray(), frame: this.frame };
    return dropsOf(this.moves, dragged, this.touches);
  }

  /** Return what a drop does in words, or "" if it leaves a choice. */
  wordsOf(drop: Drop, id: string): string {
    return moveOf(drop, this.dragged(id))?.words ?? "";
  }

  /** A thing was dropped where it can go. */
  drop(id: string, drop: Drop): void {
    const ids = this.dragged(id);
    const move = moveOf(drop, ids);
    const [onto] = drop.moves.some(({ things }) => things.includes(drop.onto)) ? [drop.onto] : [];
    this.change({ chosen: onto ? [...ids, onto] : ids, staged: null, reason: null, notice: "" });
    if (move) this.choose(move);
  }

  /** A thing was dropped where it cannot go: the server says why. While others think, this plans a move. */
  misplace(id: string, onto = ""): void {
    const move = this.meant(id, onto);
    if (!this.planning && this.moves.some((legal) => legal.move === move))
      return this.change({ reason: { sentence: _("Drop it on a place that lights up."), clause: "" } });
    if (!this.planning) return void this.ask(move);
    const both = onto && onto !== id && (!move || this.mentions(move, onto));
    this.change({ planned: both ? [id, onto] : [id] });
  }

  /** Return the move, legal or not, that the drop of a thing most likely means: one of this thing, if there is any. */
  private meant(id: string, onto: string): string {
    const { legal = [] } = this.turn ?? {};
    const attempt = (to: string, chosen: string[]): string => this.touches.attempt?.(to, chosen, legal) ?? "";
    const tried = [...(onto ? [attempt(onto, [id]), attempt(id, [onto])] : []), attempt(id, [])].filter(Boolean);
    return tried.find((move) => this.mentions(move, id)) ?? tried[0] ?? "";
  }

  private mentions(move: string, id: string): boolean {
    return this.touches.things(move, this.frame).includes(nameOf(id));
  }

  /** Return the dice to hold back from a roll after a touch, or null if this thing is no such die. */
  private held(id: string): string[] | null {
    const any = this.any;
    if (!any || !this.touches.things(any.move, this.frame).includes(nameOf(id))) return null;
    const dice = this.chosen.filter((each) => each.startsWith(this.touches.oneOf ?? ""));
    return dice.includes(id) ? dice.filter((each) => each !== id) : [...dice, id];
  }

  /** Ask the server why a touch is not a legal move, and show the answer. */
  private async ask(move: string): Promise<void> {
    const { turn, chosen } = this;
    if (!move || !turn) return;
    const making = this.making.map((each) => each.move);
    try {
      const { legal, sentence, clause } = await this.world.why(move, making);
      if (this.turn?.version !== turn.version || this.chosen !== chosen) return; // the player has gone on
      // Without a clause, the server only says how programs write moves.
      const reason = clause
        ? { sentence: sentence ?? "", clause }
        : { sentence: _("That is no move here."), clause: "" };
      if (!legal) this.change({ reason });
    } catch (error) {
      this.unanswered(error);
    }
  }

  /** Play a move, or stage it if it needs confirmation. */
  choose(move: Named): void {
    if (this.sending) return;
    if ((this.confirms && !move.goes_on) || move.grave) this.change({ staged: move, reason: null });
    else void this.play(move);
  }

  /** Roll all dice, or only those that are not held back. */
  roll(all: boolean): void {
    const any = this.any;
    if (!any || this.sending) return;
    const move = without(any.move, all ? [] : this.chosen);
    if (!move) return;
    const dice = move.split(" ")[1] ?? "";
    this.choose({ move, words: _("Roll {dice}", { dice: [...dice].join(", ") }), things: [] });
  }

  confirm(): void {
    if (this.staged && !this.sending) void this.play(this.staged);
  }

  /** Undo one step: the staged move, the choice, or the last move of the bundle. Returns whether there was one. */
  back(): boolean {
    const { staged, chosen, making, reason, asks, planned } = this;
    if (planned.length) this.change({ planned: [] });
    else if (asks) this.change({ asks: "" });
    else if (staged) this.change({ staged: null, chosen: [] });
    else if (chosen.length || reason) this.change({ chosen: [], reason: null });
    else if (making.length) void this.make(making.slice(0, -1));
    else if (this.revising) this.change({ revising: false });
    else return false;
    return true;
  }

  private async play(move: Named): Promise<void> {
    const { turn } = this;
    if (!turn) return;
    if (move.goes_on) return this.make([...this.making, move]);
    this.change({ sending: "sending", reason: null, notice: "" });
    const key = this.world.key();
    const body =
      turn.pace === "beats"
        ? { beat: turn.beat, moves: [...this.making.map((each) => each.move), move.move], idempotency_key: key }
        : { move: move.move, expected_version: turn.version, frames: true, idempotency_key: key };
    await this.send(turn.pace === "beats" ? "bundles/" : "moves/", body);
  }

  /** In beats: set the bundle so far, and ask the server which moves may follow. */
  private async make(making: Move[]): Promise<void> {
    this.change({ sending: "sending", reason: null });
    const asked = this.turn?.version;
    const moved = (): boolean => this.turn?.version !== asked;
    try {
      const trial = making.length ? await this.world.turn(making.map((each) => each.move)) : null;
      this.change({ sending: "" });
      if (moved()) this.putBack();
      else this.change({ making, trial, chosen: [], staged: null });
    } catch (error) {
      this.change({ sending: "" });
      if (error instanceof Refused && error.fault.status === 409)
        this.putBack(moved() ? undefined : error.fault.sentence);
      else this.unanswered(error);
    }
    this.goOn();
  }

  /** Undo the unfinished bundle, which the game or the server's refusal has overtaken. */
  private putBack(
    notice = _("The game has changed, so your unfinished moves were undone. This is the current position."),
  ): void {
    this.change({ making: [], trial: null, chosen: [], staged: null, notice });
  }

  /** Show why a question got no answer. */
  private unanswered(error: unknown): void {
    if (error instanceof NotYours)
      this.world.go(""); // the player now sees the public page
    else
      this.change({
        notice: error instanceof Refused ? error.fault.sentence : _("The server could not be reached. Try again."),
      });
  }

  /**
   * Send an action that needs no move: ready, resign, an offer or its answer. If a request is already being sent, the
   * action follows it.
   */
  act(what: string): void {
    const path = `${what}/`;
    if (!this.sending) void this.send(path, { idempotency_key: this.world.key() });
    else if (path !== this.onItsWay) this.following = what;
  }

  /** Send the action that was clicked during the last request. */
  private goOn(): void {
    const what = this.following;
    this.following = "";
    if (what) this.act(what);
  }

  /** Send a request until it is answered, and apply the answer. */
  private async send(path: string, body: Record<string, unknown>): Promise<void> {
    this.change({ sending: "sending" });
    this.onItsWay = path;
    const answer = await deliver({
      post: () => this.world.post(path, body),
      wait: (ms) => this.world.wait(ms),
      again: () => this.change({ sending: "again" }),
    });
    const fault = faultOf(answer);
    if (fault) this.refused(fault);
    else {
      this.change({ sending: "", chosen: [], staged: null, making: [], trial: null, revising: false, asks: "" });
      const news = newsIn(answer.body);
      if (news) this.take(news);
      else if (answer.body.turn) this.turned(answer.body.turn as Turn);
    }
    this.onItsWay = "";
    this.goOn();
  }

  private refused(fault: Fault): void {
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
    if (fault.code === "not_your_seat") this.world.go(""); // the player now sees the public page
  }

  /** Take a turn from the server, unless it is older. The choice stays if the legal moves are the same. */
  turned(turn: Turn): void {
    const before = this.turn;
    if (before && isOlder(turn, before)) return;
    if (turn.over?.rematch) this.world.go(turn.over.rematch);
    else if (!turn.over && !turn.may.resign) this.world.go(""); // a player who left sees the public page
    const same = JSON.stringify([before?.legal, before?.beat]) === JSON.stringify([turn.legal, turn.beat]);
    const now = this.world.now();
    const times = { skew: skewOf(turn.clock.at, now), restUntil: now + (turn.any_of?.wait_ms ?? 0) };
    const fresh = same ? {} : { chosen: [], staged: null, making: [], trial: null, revising: false, reason: null };
    const lost =
      !same && this.making.length ? { notice: _("Everybody has moved, so your unfinished moves were undone.") } : {};
    this.change({ turn, ...times, ...fresh, ...lost });
    if (turn.over) this.change({ planned: [] });
    this.playPlanned();
  }

  /** Show what is new: frames from the stream or in the answer to a move, and the turn after them. */
  take(news: News): void {
    this.change({ replay: applyNews(this.replay, news) });
    if (news.turn) this.turned(news.turn);
    void this.step();
  }

  /** The game has ended. */
  ended(end: End): void {
    this.change({ replay: applyEnd(this.replay, end) });
  }

  /** Move the board towards the newest frame, one step at a time. It jumps if it is far behind or the game is live. */
  private async step(): Promise<void> {
    if (this.stepping) return;
    this.stepping = true;
    for (;;) {
      const end = this.replay.frames.length - 1;
      const behind = end - this.at;
      if (behind <= 0) break;
      const jump = behind > MOST_STEPS || this.turn?.pace === "live" || this.world.still();
      const ms = stepMs(behind);
      this.change({ at: jump ? end : this.at + 1 }, ms);
      if (jump || behind === 1) continue;
      const hurried = new Promise<true>((resolve) => (this.hurry = () => resolve(true)));
      const waited = await Promise.race([this.world.wait(ms), hurried]);
      this.hurry = null;
      if (waited) this.change({ at: this.replay.frames.length - 1 });
    }
    this.stepping = false;
  }

  setConfirm(confirms: boolean): void {
    this.world.keepConfirm(confirms);
    this.change({ confirms });
  }

  /** Return the moves that the current choice leaves. */
  kept(): Named[] {
    return kept(this.moves, this.chosen, this.touches.oneOf);
  }
}
