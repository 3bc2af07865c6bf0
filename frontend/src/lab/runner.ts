/**
 * Talks with the worker that runs Python, and watches it. A bot that computes for ever blocks its worker, which then
 * says nothing more. So the worker says before each request how long the answer may take; after this time the worker is
 * ended, and another one is started.
 */

import { _ } from "../gettext";
import type { Parts } from "./parts";
import type { Fault, Note, Progress, TimedEvent } from "./types";

/** The way to the worker; a frame in a page, and something simpler in tests. */
export interface Link {
  post(message: unknown): void;
  /** Call `call` after `ms`. Returns a function that cancels it. */
  later(ms: number, call: () => void): () => void;
}

/** The request that is being answered: whose, since which version, and how many ms it may take (0: no limit). */
export interface Asking {
  seat: number;
  version: number;
  limit: number;
}

/** `asleep`: nothing has been loaded yet. `unloaded`: it could not be, and can be tried again. */
export type State = "asleep" | "unloaded" | "loading" | "ready" | "working" | "broken";

/** The bot did not answer in time, and its worker was ended. `game` is what this worker had done of the game. */
export class Hung extends Error {
  constructor(
    readonly asking: Asking,
    readonly game: Progress,
    readonly printed: string,
  ) {
    super("The bot did not answer in time.");
  }
}

/** Somebody stopped the worker. */
export class Stopped extends Error {}

/** Python could not be loaded, for example because there is no connection. */
export class Unloaded extends Error {
  constructor() {
    super(_("Python could not be loaded. Check your connection and try again."));
  }
}

/** Python itself has failed, for example because a bot used up the memory. */
export class Broken extends Error {}

interface Pending {
  resolve(answer: string): void;
  reject(error: Error): void;
  news: ((news: string) => void) | undefined;
  game: Progress;
  printed: string;
}

/** The worker gets this much longer than the bot, so that the library itself can say that an answer came too late. */
export const GRACE_MS = 400;
/** After this time the page says that it waits for the bot. */
export const SLOW_MS = 1000;

export class Runner {
  state: State = "asleep";
  /** Called with the state after each change, and with the request that takes long, or null. */
  changed: (state: State, slow: Asking | null) => void = () => undefined;
  private slow: Asking | null = null;
  private timers: (() => void)[] = [];
  private pending = new Map<number, Pending>();
  private waiting: unknown[] = [];
  private count = 0;

  constructor(private readonly link: Link) {}

  /** Say that the parts are being loaded. */
  wake(): void {
    this.state = "loading";
    this.settle();
  }

  /** Say that they could not be loaded. */
  lose(): void {
    this.state = "unloaded";
    this.refuse(new Unloaded());
  }

  /** Start the first worker. */
  start(parts: Parts): void {
    this.link.post({ parts });
  }

  /** Ask the worker; `news` gets what it says meanwhile. Rejects with `Hung`, `Stopped` or `Broken`. */
  ask<T>(act: string, request: unknown, news?: (news: string) => void): Promise<T> {
    const id = ++this.count;
    const message = { id, act, ask: JSON.stringify(request) };
    const answer = new Promise<string>((resolve, reject) => {
      this.pending.set(id, { resolve, reject, news, game: { events: [], faults: [], notes: [] }, printed: "" });
    });
    if (this.state === "ready" || this.state === "working") this.link.post(message);
    else this.waiting.push(message);
    this.settle();
    return answer.then((text) => JSON.parse(text) as T);
  }

  /** End what is going on, with a new worker. */
  stop(): void {
    this.restart(new Stopped("Stopped."));
  }

  /** End what is done step by step, such as a series, after the present step. */
  finish(): void {
    this.link.post({ id: 0, act: "stop" });
  }

  /** Take over a message of the worker or of the frame around it. */
  take(message: Record<string, unknown>): void {
    if (message.ready) {
      this.state = "ready";
      for (const each of this.waiting.splice(0)) this.link.post(each);
      this.settle();
    } else if (message.broken !== undefined) this.fail(new Broken(String(message.broken)));
    else {
      const pending = this.pending.get(message.id as number);
      if (!pending) return;
      if (message.answer !== undefined) {
        this.pending.delete(message.id as number);
        this.watch(null);
        pending.resolve(message.answer as string);
        this.settle();
      } else this.hear(pending, message.news as string);
    }
  }

  private hear(pending: Pending, news: string): void {
    if (!news.startsWith("[")) {
      pending.news?.(news);
      return;
    }
    const [what, ...said] = JSON.parse(news) as [string, ...unknown[]];
    if (what === "asking") {
      const [seat, version, limit, events, faults] = said as [number, number, number, TimedEvent[], Fault[]];
      pending.game.events.push(...events);
      pending.game.faults.push(...faults);
      pending.printed = "";
      this.watch({ seat, version, limit }, pending);
    } else if (what === "answered") {
      if (said[0]) pending.game.notes.push(said[0] as Note);
      this.watch(null);
    } else pending.printed += said[0] as string;
  }

  /** Watch the request that is being answered, or nothing. */
  private watch(asking: Asking | null, pending?: Pending): void {
    for (const cancel of this.timers.splice(0)) cancel();
    if (this.slow) this.say(null);
    if (!asking || !pending) return;
    this.timers.push(this.link.later(SLOW_MS, () => this.say(asking)));
    if (asking.limit)
      this.timers.push(
        this.link.later(asking.limit + GRACE_MS, () => this.restart(new Hung(asking, pending.game, pending.printed))),
      );
  }

  private say(slow: Asking | null): void {
    this.slow = slow;
    this.changed(this.state, slow);
  }

  private restart(error: Error): void {
    this.state = "loading";
    this.link.post({ restart: true });
    this.refuse(error);
  }

  /** Python has failed. What had begun to work gets a new worker; what never worked does not. */
  private fail(error: Broken): void {
    if (this.state === "loading" || this.state === "asleep") {
      this.state = "broken";
      this.refuse(error);
    } else this.restart(error);
  }

  private refuse(error: Error): void {
    this.watch(null);
    this.waiting = [];
    const all = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of all) reject(error);
    this.changed(this.state, null);
  }

  private settle(): void {
    if (this.state === "ready" || this.state === "working") this.state = this.pending.size ? "working" : "ready";
    this.changed(this.state, this.slow);
  }
}
