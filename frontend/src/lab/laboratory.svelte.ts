/** The state of the lab: what is played, what came of it, and what is said to the reader. */

import { Controller, type World } from "../controller.svelte";
import type { Board } from "../boards/contract";
import { _ } from "../gettext";
import type { Viewpoint, Replay } from "../types";
import type { Evidence } from "./chart";
import { type LabKind, type LabPage, viewerPage } from "./page";
import { type Asking, Broken, Hung, type Runner, type State, Stopped, Unloaded } from "./runner";
import { hungReason, slowSentence } from "./sentences";
import type {
  Decided,
  Fault,
  Newer,
  Note,
  Played,
  PlayRequest,
  Progress,
  Refusal,
  SeriesRequest,
  Standing,
  Word,
} from "./types";

/** A game on the board. */
export interface Shown {
  controller: Controller;
  board: Board;
  /** The game itself, and the seat of the reader's own bot in it. */
  exported: Exported;
  seat: number;
  notes: Note[];
  faults: Fault[];
}

export interface SeriesView {
  standing: Standing;
  path: Evidence[];
  most: number;
  rate: number;
  running: boolean;
}

type Settings = Omit<PlayRequest, "resume">;
/** A game in the format of the API's export. */
export type Exported = Record<string, unknown>;

/** A game is resumed at most so often for each seat: a bot that has not answered so often has forfeited. */
const MAX_RESUMES = 3;
/** The name of the reader's own file, also in tracebacks. */
const MINE = "bot.py";
const NOTHING: Progress = { events: [], faults: [], notes: [] };

const START: Standing = {
  games: 0,
  deals: 0,
  share: 0.5,
  low: 0,
  high: 1,
  wins: 0,
  evidence: { better: 1, worse: 1 },
  verdict: null,
  faults: [],
  forfeits: 0,
  over: false,
};

export class Laboratory {
  state: State = $state("asleep");
  /** Whether a game is wanted or played. */
  busy: boolean = $state(false);
  /** What goes on, in a sentence. */
  status: string = $state("");
  /** The last failure, which stays until the next run. */
  trouble: string = $state("");
  troubleOutput: string = $state("");
  /** What the reader's own bot printed when it last failed; "" if it did not. */
  ownOutput = "";
  shown: Shown | null = $state.raw(null);
  /** What the server's Python will refuse, though it runs here; null if nothing was found. */
  newer: Newer | null = $state.raw(null);
  series: SeriesView | null = $state.raw(null);
  decided: Decided | null = $state.raw(null);
  words: Word[] = $state.raw([]);
  private wordsOf = "";

  constructor(
    readonly page: LabPage,
    readonly runner: Runner,
    /** Loads what shows a game, and returns the board of its kind. */
    private readonly boardOf: (kind: LabKind) => Promise<Board>,
    private readonly now: () => number = () => performance.now(),
  ) {
    runner.changed = (state, slow) => this.changed(state, slow);
    this.changed(runner.state, null);
  }

  private changed(state: State, slow: Asking | null): void {
    this.state = state;
    if (slow) this.status = slowSentence(slow);
    else if (state === "asleep") this.status = _("Python is loaded when you begin: some 7 MB, once.");
    else if (state === "unloaded") this.status = new Unloaded().message;
    else if (state === "loading") this.status = _("Python is being loaded. You can write meanwhile.");
    else if (state === "ready") this.status = _("Ready.");
    else if (state === "working") this.status = _("Playing …");
    else this.status = _("Python could not be started in this browser. You can write and upload all the same.");
  }

  kindOf(kind: string): LabKind {
    const found = this.page.kinds.find((each) => each.kind === kind) ?? this.page.kinds[0];
    if (!found) throw new Error("There is no kind of game.");
    return found;
  }

  /** Load the words for completion. */
  async learn(kind: string): Promise<void> {
    if (this.wordsOf === kind) return;
    this.wordsOf = kind;
    try {
      this.words = await this.runner.ask<Word[]>("words", { kind });
    } catch {
      this.wordsOf = ""; // the editor works without them
    }
  }

  /** Play one game and show it. */
  async run(settings: Settings): Promise<void> {
    await this.whileBusy(() => this.playGame(settings));
  }

  private async whileBusy(act: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.forgetTrouble();
    this.decided = null;
    try {
      await act();
    } catch (error) {
      this.explain(error);
    } finally {
      this.busy = false;
    }
  }

  private async playGame(settings: Settings): Promise<void> {
    let request: PlayRequest = settings;
    this.boardOf(this.kindOf(settings.kind)).catch(() => undefined); // loaded meanwhile
    for (let resumed = 0; ; resumed++) {
      try {
        const played = await this.runner.ask<Played | Refusal>("play", request);
        if ("refused" in played) this.refuse(played);
        else {
          const notes = latest([...(request.resume?.notes ?? []), ...played.notes]);
          this.newer = played.newer;
          await this.show(settings.kind, played.export, settings.seat, played.replay, notes, played.faults);
        }
        return;
      } catch (error) {
        const most = MAX_RESUMES * (1 + settings.against.length);
        const next = error instanceof Hung && resumed < most ? this.resumed(request, error) : null;
        if (!next) throw error;
        request = next;
      }
    }
  }

  /** Return the request that goes on after the bot did not answer; null if it did not even start. */
  private resumed(request: PlayRequest, { asking, game, printed }: Hung): PlayRequest | null {
    const { seat, version } = asking;
    if (version <= 1) return null;
    const { events, faults, notes } = request.resume ?? NOTHING;
    const reason = hungReason(asking);
    this.complain(`${reason} ${_("A random move is played instead, and the game goes on.")}`, "");
    const hung = { seat, version, kind: "timeout", reason, evidence: { reason }, output: printed, cost: "" };
    const resume = {
      events: [...events, ...game.events],
      faults: latest([...faults, ...game.faults, hung]),
      notes: latest([...notes, ...game.notes]),
    };
    return { ...request, resume };
  }

  async playSeries(request: SeriesRequest): Promise<void> {
    this.forgetTrouble();
    const path: Evidence[] = [];
    const began = this.now();
    let last = START;
    const show = (standing: Standing, running: boolean): void => {
      last = standing;
      if (standing.deals > path.length) path.push(standing.evidence);
      const rate = (standing.games * 1000) / Math.max(1, this.now() - began);
      this.series = { standing, path: [...path], most: request.games, rate, running };
    };
    show(START, true);
    try {
      const end = await this.runner.ask<Standing | Refusal>("series", request, (news) =>
        show(JSON.parse(news) as Standing, true),
      );
      if ("refused" in end) {
        show(last, false);
        this.refuse(end);
      } else show(end, false);
    } catch (error) {
      show(last, false);
      this.explain(error);
    }
  }

  /** Show a recorded game from a seat, and ask the bot at its decisions, up to the one at `version` if one is named. */
  async decide(kind: string, exported: Exported, seat: number, version: number | null, source: string): Promise<void> {
    await this.whileBusy(async () => {
      const decided = await this.runner.ask<Decided | Refusal>("decide", {
        export: exported,
        seat,
        to: version,
        source,
      });
      if ("refused" in decided) {
        this.refuse(decided);
        return;
      }
      this.decided = decided;
      const fault = decided.last?.fault;
      const at = version ?? decided.last?.version ?? 1;
      const faults: Fault[] = fault ? [{ ...fault, seat, version: at, cost: "nothing" }] : [];
      if (this.shown?.exported === exported) this.take({ ...this.shown, notes: decided.notes, faults });
      else {
        const replay = await this.runner.ask<Replay>("view", { export: exported, viewpoint: String(seat) });
        await this.show(kind, exported, seat, replay, decided.notes, faults);
      }
      this.shown?.controller.goToVersion(at);
    });
  }

  private async show(
    kind: string,
    exported: Exported,
    seat: number,
    replay: Replay,
    notes: Note[],
    faults: Fault[],
  ): Promise<void> {
    const about = this.kindOf(kind);
    const board = await this.boardOf(about);
    const controller = new Controller(replay, viewerPage(this.page, about), null, this.world(exported));
    this.take({ controller, board, exported, seat, notes, faults });
    const first = faults[0];
    if (first) controller.goToVersion(first.version + 1);
  }

  private take(shown: Shown): void {
    this.shown = shown;
    this.ownOutput = shown.faults.find(({ seat }) => seat === shown.seat)?.output ?? "";
  }

  private world(exported: Exported): World {
    return {
      load: (viewpoint: Viewpoint) => this.runner.ask<Replay>("view", { export: exported, viewpoint }),
      later(ms, call) {
        const timer = window.setTimeout(call, ms);
        return () => window.clearTimeout(timer);
      },
      remember: () => undefined, // a game of the lab has no address
      copy: (text) => navigator.clipboard.writeText(text),
      link: () => window.location.href,
      page: () => Promise.reject(new Error("A game of the lab is over.")),
    };
  }

  private forgetTrouble(): void {
    this.trouble = this.troubleOutput = this.ownOutput = "";
    this.newer = null;
  }

  private refuse({ refused: { bot, reason, output } }: Refusal): void {
    this.complain(reason, output);
    if (bot === MINE) this.ownOutput = output;
  }

  private complain(sentence: string, output: string): void {
    this.trouble = sentence;
    this.troubleOutput = output;
  }

  private explain(error: unknown): void {
    if (error instanceof Stopped) this.complain(_("Stopped. Your text is kept."), "");
    else if (error instanceof Hung) this.complain(hungReason(error.asking), error.printed);
    else if (error instanceof Broken)
      this.complain(
        _("Python failed, perhaps because the bot used too much memory. It is started again. Your text is kept."),
        error.message,
      );
    else if (!(error instanceof Unloaded)) {
      console.error(error); // the status says what is not loaded
      this.complain(
        _("The game could not be shown. Check your connection and reload the page. Your text is kept."),
        "",
      );
    }
  }
}

/** Return the last one of each seat at each version: after a worker was ended, a bot may be asked twice. */
function latest<T extends { seat: number; version: number }>(all: readonly T[]): T[] {
  return [...new Map(all.map((each) => [`${each.seat} ${each.version}`, each])).values()];
}
