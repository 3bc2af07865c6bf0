/**
 * The viewer's state changes only here. The controller reaches the page only through `World`; tests pass one of their
 * own.
 */

import { _ } from "./gettext";
import { indexAt } from "./link";
import { settled, type Speed, SPEEDS } from "./state";
import { type Changing, type Play, SINGLE_MS } from "./motion/timing";
import { PACES, type Pace, waitAt } from "./playing";
import type { Viewpoint, Page, Replay } from "./types";
import { viewpointText } from "./words";

/** The part of a step's time in which things move. */
const SHARE = 0.8;

export interface World {
  /** Load the replay from a viewpoint: the frames after `since`, up to `until` if it is given. */
  load(viewpoint: Viewpoint, since: number, until?: number): Promise<Replay>;
  /** Call `call` after `ms`. Returns a function that cancels it. */
  later(ms: number, call: () => void): () => void;
  /** Write the viewpoint and the version into the page's address. */
  remember(viewpoint: Viewpoint, version: number): void;
  copy(text: string): Promise<void>;
  /** Return the address of a moment. */
  link(viewpoint: Viewpoint, version: number): string;
  /** Load what the page now says about the game. */
  page(): Promise<Page>;
}

/** What changes together. */
type Changed = Pick<
  Controller,
  "replay" | "page" | "at" | "playing" | "speed" | "pace" | "shortened" | "help" | "notice" | "mistakes"
>;

export class Controller implements Changing {
  changing: Changing["changing"] = () => undefined;
  settle = (): void => undefined;
  replay: Replay;
  page: Page;
  at: number;
  playing: boolean = $state(false);
  speed: Speed = $state(1);
  pace: Pace = $state("even");
  /** In real time, a sentence that a pause was shortened; otherwise "". */
  shortened: string = $state("");
  help: boolean = $state(false);
  /** A sentence about the page, such as "link copied" or "connection lost"; otherwise "". */
  notice: string = $state("");
  /** The versions at which the review that is shown has mistakes, in their order. */
  mistakes: readonly number[] = $state.raw([]);
  /** The index of the last frame. */
  readonly last = $derived.by(() => Math.max(0, this.replay.frames.length - 1));
  /** The frame to draw. */
  readonly frame = $derived.by(() => settled(this.replay.frames[this.at], this.replay));
  /** Whether the game is running and the reader is at its last event, and so follows new events. */
  readonly atHead = $derived.by(() => this.replay.game.status === "playing" && this.at === this.last);
  private callOff: (() => void) | null = null;
  /** How often a viewpoint was chosen: only the newest answer is shown. */
  private asked = 0;
  /** How many ms the server's clock is ahead. What a stream brings may be late, the largest is nearest. */
  skew = -Infinity;

  /** Start at the linked version, or at the start of a finished game, or at the end of a running one. */
  constructor(
    replay: Replay,
    page: Page,
    version: number | null,
    readonly world: World,
  ) {
    this.replay = $state.raw(replay);
    this.page = $state.raw(page);
    const start = replay.game.status === "playing" ? this.last : 0;
    this.at = $state.raw(version === null ? start : indexAt(replay.frames, version));
    this.setClock(replay);
  }

  private setClock({ game }: Replay): void {
    if (game.clock) this.skew = Math.max(this.skew, Date.parse(game.clock.at) - Date.now());
  }

  change(part: Partial<Changed>): void {
    if (part.replay) this.setClock(part.replay);
    if ((part.at !== undefined && part.at !== this.at) || part.replay) this.changing(this.motion(part));
    Object.assign(this, part);
  }

  /** Return how to show the change to `part`: steps and new events move things, in both directions. */
  private motion({ at = this.at, replay = this.replay }: Partial<Changed>): Play | null {
    if (replay.viewpoint !== this.replay.viewpoint) return null;
    const news = replay !== this.replay && this.at === this.last;
    if (!news && Math.abs(at - this.at) !== 1) return null;
    const ms = this.playing ? waitAt(this).ms * SHARE : SINGLE_MS;
    return { ms, seat: replay.frames[Math.max(at, this.at)]?.seat ?? null };
  }

  private remember(): void {
    const { frame } = this;
    if (frame && !this.playing) this.world.remember(this.replay.viewpoint, frame.version);
  }

  /** Show the frame at an index. An index out of range becomes the nearest frame. */
  to(at: number): void {
    this.change({ at: Math.max(0, Math.min(this.last, at)), notice: "", shortened: "" });
    this.remember();
  }

  /** Go to the frame that a person chose. Playback stops. */
  go(at: number): void {
    this.pause();
    this.to(at);
  }

  goToVersion(version: number): void {
    this.go(indexAt(this.replay.frames, version));
  }

  step(by: number): void {
    this.go(this.at + by);
  }

  /** Go to the next or previous frame with a highlight, or to the end or the start if there is none. */
  moment(by: 1 | -1): void {
    const { frames } = this.replay;
    let at = this.at + by;
    while (frames[at] && frames[at]?.marks.length === 0) at += by;
    this.go(at);
  }

  /** Take over the mistakes of the review that is shown. */
  setMistakes(mistakes: readonly number[]): void {
    this.change({ mistakes });
  }

  /** The next mistake of the review; after the last one, the first. */
  mistake(): void {
    const { replay, mistakes, at } = this;
    const places = mistakes.map((version) => indexAt(replay.frames, version));
    const next = places.find((place) => place > at) ?? places[0];
    if (next === undefined) this.change({ notice: _("This view shows no review with mistakes.") });
    else this.go(next);
  }

  toggle(): void {
    if (this.playing) {
      this.pause();
      this.remember();
      return;
    }
    const fresh = this.at >= this.last;
    this.change({ playing: true, at: fresh ? 0 : this.at });
    this.schedule();
  }

  pause(): void {
    this.callOff?.();
    this.callOff = null;
    if (this.playing) this.change({ playing: false, shortened: "" });
  }

  private schedule(): void {
    this.callOff?.();
    const { ms, note } = waitAt(this);
    if (note !== this.shortened) this.change({ shortened: note });
    this.callOff = this.world.later(ms, () => this.tick());
  }

  private tick(): void {
    if (this.at < this.last) {
      this.to(this.at + 1);
      this.schedule();
    } else {
      this.pause();
      this.remember();
    }
  }

  setSpeed(speed: Speed): void {
    this.change({ speed });
    if (this.playing) this.schedule();
  }

  /** Choose the next speed; the first one follows the last. A phone has one button for it. */
  nextSpeed(): void {
    const next = (SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length;
    this.setSpeed(SPEEDS[next] as Speed);
  }

  setPace(pace: Pace): void {
    this.change({ pace, shortened: "" });
    if (this.playing) this.schedule();
  }

  nextPace(): void {
    this.setPace(PACES[(PACES.indexOf(this.pace) + 1) % PACES.length] as Pace);
  }

  /** Show the same moment from another viewpoint, if it is allowed. */
  async setViewpoint(viewpoint: Viewpoint): Promise<void> {
    const { replay } = this;
    if (viewpoint === replay.viewpoint || !isThere(viewpoint, replay)) return;
    if (!replay.allowed_viewpoints.includes(viewpoint)) {
      this.change({
        notice: _("{viewpoint}: available when the game is over.", {
          viewpoint: viewpointText(viewpoint, replay.game.seats),
        }),
      });
      return;
    }
    const version = this.frame?.version ?? 0;
    const asked = ++this.asked;
    try {
      const other = await this.world.load(viewpoint, 0);
      if (asked !== this.asked) return;
      const page = { ...this.page, told: null };
      this.change({ replay: other, page, at: indexAt(other.frames, version), notice: "" });
      this.remember();
    } catch {
      this.change({ notice: _("This view could not be loaded. Check your connection and try again.") });
    }
  }

  /** Show the game from the viewpoint of the next player. */
  async flip(): Promise<void> {
    const seats = this.replay.allowed_viewpoints.filter((viewpoint) => /^\d+$/.test(viewpoint));
    const next = seats[(seats.indexOf(this.replay.viewpoint) + 1) % seats.length];
    if (next !== undefined) await this.setViewpoint(next);
  }

  /** Show a running game with what is new. A reader at the last event stays at the last event. */
  extend(replay: Replay): void {
    if (replay === this.replay) return;
    const followed = this.at === this.last;
    this.change({ replay, at: followed ? Math.max(0, replay.frames.length - 1) : this.at });
  }

  /** Tell the reader something about the page. */
  tell(notice: string): void {
    this.change({ notice });
  }

  /**
   * Load the whole game again after its end: first what the page says of it, then the frames, in which hidden cards may
   * be open now. A commentator gets another viewpoint than before.
   */
  async reload(): Promise<void> {
    this.change({ page: await this.world.page(), notice: _("The game is over.") });
    let viewpoint: Viewpoint, replay: Replay;
    do {
      ({ viewpoint } = this.replay);
      replay = await this.world.load(viewpoint, 0);
    } while (viewpoint !== this.replay.viewpoint); // the reader has chosen another one meanwhile
    const at = this.at === this.last ? replay.frames.length - 1 : indexAt(replay.frames, this.frame?.version ?? 0);
    this.change({ replay, at: Math.max(0, at) });
  }

  async copyLink(): Promise<void> {
    if (this.page.linked === false) return;
    const { frame } = this;
    if (frame)
      await this.copy(
        this.world.link(this.replay.viewpoint, frame.version),
        _("The link to this moment has been copied."),
      );
  }

  async copy(text: string, done: string): Promise<void> {
    try {
      await this.world.copy(text);
      this.change({ notice: done });
    } catch {
      this.change({ notice: _("The browser did not allow copying. Select the text and copy it yourself.") });
    }
  }

  setHelp(help: boolean): void {
    this.change({ help });
  }
}

/** Return whether this game has such a viewpoint. */
function isThere(viewpoint: Viewpoint, replay: Replay): boolean {
  return !/^\d+$/.test(viewpoint) || Number(viewpoint) < replay.game.seats.length;
}
