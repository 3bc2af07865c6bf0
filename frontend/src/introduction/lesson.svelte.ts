/**
 * An introduction: the table of a kind with a script beside it. The server replays the script by the rules and says
 * what a move is; this keeps the step, and counts the mistakes that the reader has made in it.
 */

import { NotYours, type TableController, type World } from "../table/controller.svelte";
import type { Answer } from "../table/send";
import type { Introduction, Lesson as Data, Replay } from "../types";

export interface Server {
  /** Ask for a step, after the moves `made` of it, perhaps with a move that the reader tries. */
  ask(step: number, made: readonly string[], since: number, move?: string): Promise<Introduction>;
}

/** What the panel beside the table shows. */
export interface Shown extends Pick<Data, "step" | "steps" | "made" | "text" | "mistake" | "todo"> {
  /** How often the reader has tried something else in this step. */
  missed: number;
  lost: boolean;
}

export class Lesson {
  shown: Shown;
  /** Set when the table is made. */
  table: Pick<TableController, "replay" | "change" | "take"> | undefined;

  constructor(
    first: Data,
    private readonly server: Server,
  ) {
    this.shown = $state.raw({ ...first, missed: 0, lost: false });
  }

  get isLast(): boolean {
    return this.shown.step + 1 >= this.shown.steps;
  }

  /** Whether the reader only reads on. */
  get isRead(): boolean {
    return this.shown.todo.length === 0;
  }

  private show({ step, steps, made, text, mistake, todo }: Introduction): void {
    this.shown = { step, steps, made, text, mistake, todo, missed: 0, lost: false };
  }

  private miss(): void {
    this.shown = { ...this.shown, missed: this.shown.missed + 1 };
  }

  /** Try a move, and take over the next step if it was the right one. */
  async try(move: string): Promise<Introduction> {
    const { step, made } = this.shown;
    const answer = await this.server.ask(step, made, this.table?.replay.version ?? 0, move);
    if (answer.tried?.wanted) this.show(answer);
    else this.miss();
    return answer;
  }

  /** Go to the next step, after one that is only read. */
  async next(): Promise<void> {
    await this.go(this.shown.step + 1, this.table?.replay.version ?? 0);
  }

  /** Go to a step, and show its position without a way there. */
  async to(step: number): Promise<void> {
    await this.go(step, 0);
  }

  private async go(step: number, since: number): Promise<void> {
    try {
      const answer = await this.server.ask(step, [], since);
      this.show(answer);
      if (since) this.table?.take(answer);
      else this.jump(answer);
    } catch {
      this.shown = { ...this.shown, lost: true };
    }
  }

  private jump({ version, frames, scores, turn }: Introduction): void {
    if (!this.table) return;
    const replay: Replay = { ...this.table.replay, version, frames, scores };
    const fresh = { chosen: [], planned: [], staged: null, reason: null, notice: "" };
    this.table.change({ ...fresh, replay, turn, at: Math.max(0, frames.length - 1) });
  }
}

/** How many times as long as at a table an event of others is shown. */
const SLOWLY = 3;

/** The table's world: moves are tried on the lesson. */
export function lessonWorld(lesson: Lesson, page: Pick<World, "wait" | "now" | "key" | "still">): World {
  return {
    ...page,
    deliberate: true,
    wait: (ms) => page.wait(ms * SLOWLY),
    turn: () => Promise.reject(new NotYours()), // no introduction is played in beats
    async why(move) {
      if (lesson.isRead) return { legal: true }; // nothing is asked, so nothing is wrong
      const answer = await lesson.try(move);
      const { tried } = answer;
      if (tried?.wanted) lesson.table?.take(answer);
      return { legal: tried?.legal ?? true, sentence: tried?.sentence, clause: tried?.clause };
    },
    async post(_path, { move }): Promise<Answer> {
      const answer = await lesson.try(String(move));
      const { tried } = answer;
      if (tried?.wanted) return { status: 200, body: { ...answer } };
      const code = tried?.legal ? "not_asked" : "illegal_move";
      const error = { status: 409, code, sentence: tried?.sentence ?? "", clause: tried?.clause ?? "" };
      return { status: 409, body: { error } };
    },
    keepConfirm: () => undefined,
    go: () => undefined,
  };
}
