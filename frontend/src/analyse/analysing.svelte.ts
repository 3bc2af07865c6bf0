/** The analysis of the moment that is shown: asked for, taken over as it grows, stopped, and kept. */

import { Broken, type Runner, Stopped, Unloaded } from "../lab/runner";
import { _ } from "../gettext";
import type { Analysis, LuckEntry, Moment } from "./types";

interface Refusal {
  refused: { reason: string };
}

export interface World {
  runner: Pick<Runner, "state" | "ask" | "finish" | "stop">;
  /** Load Python, unless that has begun. */
  wake(): Promise<void>;
  /** Load the game in the format of the API's export. */
  game(): Promise<unknown>;
  /** Load the game's luck ledger; null if the server has none. */
  luck(): Promise<LuckEntry[] | null>;
  /** Call back after `ms`; returns how to call it off. */
  later(ms: number, call: () => void): () => void;
  /** Keep an analysis in this browser, or return one that was kept. */
  keep(moment: Moment, analysis: Analysis): void;
  kept(moment: Moment): Analysis | null;
}

/** `off`: nobody has begun. `broken`: Python cannot run here. */
export type State = "off" | "loading" | "working" | "over" | "stopped" | "failed" | "broken";

/** Moments that a reader only passes by are not analysed. */
export const PASSED_MS = 250;
/** After so long without news the page says so, and then that the worker is lost. */
export const SLOW_MS = 2000;
export const LOST_MS = 30_000;

export class Analysing {
  state: State = $state("off");
  /** The most exact analysis of this moment; null while there is none. */
  shown: Analysis | null = $state.raw(null);
  /** Whether it was made before: it is made again, and goes on from there. */
  before: boolean = $state(false);
  /** Whether the worker has said nothing for long. */
  slow: boolean = $state(false);
  /** Why it ended, in a sentence. */
  trouble: string = $state("");
  /** What each event was worth; null while that is not known. */
  luck: LuckEntry[] | null = $state.raw(null);
  private moment: Moment | null = null;
  private turn = 0;
  private timers: (() => void)[] = [];
  private lucky = false;
  private paused = false;

  constructor(private readonly world: World) {}

  /** Analyse a moment, and no other one any longer. */
  show(moment: Moment): void {
    if (this.moment?.seat === moment.seat && this.moment.version === moment.version) return;
    this.end();
    this.moment = moment;
    this.shown = this.world.kept(moment);
    this.before = this.shown !== null;
    this.trouble = "";
    if (this.state === "broken" || this.paused) return;
    this.state = ["ready", "working"].includes(this.world.runner.state) ? "working" : "loading";
    this.timers.push(this.world.later(PASSED_MS, () => void this.analyse(moment)));
  }

  /** Go on after a stop or a failure. */
  again(): void {
    const { moment } = this;
    this.moment = null;
    this.paused = false;
    if (moment) this.show(moment);
  }

  /** Stop until somebody wants to go on. What is shown stays. */
  stop(): void {
    this.end();
    this.paused = true;
    this.state = "stopped";
  }

  /** Let go of the moment. */
  end(): void {
    this.turn++;
    this.watch(false);
    if (this.state === "working") this.world.runner.finish();
  }

  private async analyse(moment: Moment): Promise<void> {
    const { world } = this;
    const turn = this.turn;
    const current = (): boolean => turn === this.turn;
    try {
      const [game] = await Promise.all([world.game(), world.wake()]);
      if (!current()) return;
      if (world.runner.state === "unloaded") throw new Unloaded();
      if (world.runner.state === "broken") throw new Broken("Python could not be started.");
      const end = await world.runner.ask<Analysis | Refusal>("analyse", { export: game, ...moment }, (news) => {
        if (current()) this.take(moment, JSON.parse(news) as Analysis);
      });
      if (!current()) return;
      this.watch(false);
      if ("refused" in end) this.fail(end.refused.reason);
      else {
        this.take(moment, end);
        this.watch(false);
        this.state = "over";
      }
    } catch (error) {
      if (current()) this.explain(error);
    }
  }

  private take(moment: Moment, analysis: Analysis): void {
    this.state = "working";
    this.watch(true);
    void this.loadLuck();
    if (this.shown && this.shown.spent > analysis.spent) return;
    this.shown = analysis;
    this.before = false;
    this.world.keep(moment, analysis);
  }

  /** Read the luck of the game: the server's, and if it has none that of this browser. */
  private async loadLuck(): Promise<void> {
    if (this.lucky) return;
    this.lucky = true;
    const { world } = this;
    try {
      this.luck = (await world.luck()) ?? (await this.computed(await world.game()));
    } catch {
      this.luck = null; // the analysis is complete without
    }
  }

  private async computed(game: unknown): Promise<LuckEntry[] | null> {
    const found = await this.world.runner.ask<{ entries: LuckEntry[] } | Refusal>("luck", { export: game });
    return "refused" in found ? null : found.entries;
  }

  /** Watch for news, or no longer. */
  private watch(on: boolean): void {
    for (const cancel of this.timers.splice(0)) cancel();
    this.slow = false;
    if (!on) return;
    this.timers.push(
      this.world.later(SLOW_MS, () => (this.slow = true)),
      this.world.later(LOST_MS, () => this.world.runner.stop()),
    );
  }

  private fail(sentence: string): void {
    this.watch(false);
    this.state = "failed";
    this.trouble = sentence;
  }

  private explain(error: unknown): void {
    if (error instanceof Stopped)
      this.fail(_("Python did not answer any more, so it was started again. What it had found is shown."));
    else if (error instanceof Unloaded) this.fail(error.message);
    else if (!(error instanceof Broken))
      this.fail(_("The game could not be loaded. Check your connection and try again."));
    else if (this.world.runner.state !== "broken")
      this.fail(_("Python failed, so it was started again. What it had found is shown."));
    else {
      this.fail(_("Python could not be started in this browser. The server can be asked for a review instead."));
      this.state = "broken";
    }
  }
}
