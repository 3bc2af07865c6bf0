/** Asks a text again at every decision of a version's last games, and finds what the decisions that differ had cost. */

import type { LuckEntry } from "../analyse/types";
import { _ } from "../gettext";
import type { Decision as ReviewDecision } from "../types";
import { Broken, Hung, type Runner, Stopped } from "./runner";
import type { Decided, Decision, Refusal } from "./types";

/** A decision at which the text would play something else than the version did. */
export interface Differing {
  game: string;
  seat: number;
  decision: Decision;
  /** What the move was worth beside the usual one, by the luck ledger; null without one. */
  luck: number | null;
  /** What the review of the seat says of the move; null without one. */
  review: (ReviewDecision & { best: string }) | null;
}

interface ListedGame {
  id: string;
  kind: string;
  seats: { seat: number; player: { id: number } }[];
}

/** Thrown for a game that is not open to everybody yet. */
export class Unread extends Error {}

/** Thrown where the server gives no answer. */
export class Lost extends Error {}

export interface World {
  runner: Pick<Runner, "ask" | "stop">;
  /** Load an address of the API. Throws `Unread`, `Lost`, or, once `stopped` is true, `Stopped`. */
  read(address: string, stopped: () => boolean): Promise<unknown>;
}

export class Past {
  running: boolean = $state(false);
  /** How many games were looked at, of how many, and how many could not be read. */
  done: number = $state(0);
  whole: number = $state(0);
  unread: number = $state(0);
  /** At how many decisions the text was asked. */
  asked: number = $state(0);
  rows: Differing[] = $state.raw([]);
  trouble: string = $state("");
  private stopped = false;

  constructor(
    private readonly world: World,
    private readonly past: { player: number; games: string },
  ) {}

  /** Ask a text at all decisions of the last games of a kind. */
  async run(kind: string, source: string): Promise<void> {
    if (this.running) return;
    Object.assign(this, {
      running: true,
      stopped: false,
      done: 0,
      whole: 0,
      unread: 0,
      asked: 0,
      rows: [],
      trouble: "",
    });
    try {
      const { results } = (await this.load(`${this.past.games}&kind=${kind}`)) as { results: ListedGame[] };
      this.whole = results.length;
      for (const game of results) {
        if (this.stopped) break;
        await this.look(game, source);
        this.done++;
      }
    } catch (error) {
      this.trouble = sentence(error);
    }
    this.running = false;
  }

  /** Stop after the present game. */
  stop(): void {
    this.stopped = true;
  }

  private load(address: string): Promise<unknown> {
    return this.world.read(address, () => this.stopped);
  }

  private async look({ id, seats }: ListedGame, source: string): Promise<void> {
    const address = `${this.past.games.split("?")[0] ?? ""}${id}/`;
    try {
      const exported = await this.load(`${address}export/`);
      for (const { seat, player } of seats)
        if (player.id === this.past.player) await this.ask(address, id, exported, seat, source);
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
      this.unread++;
    }
  }

  private async ask(address: string, game: string, exported: unknown, seat: number, source: string): Promise<void> {
    const request = { export: exported, seat, to: null, source };
    const found = await this.world.runner.ask<Decided | Refusal>("decide", request);
    if ("refused" in found) throw new Error(found.refused.reason);
    this.asked += found.asked;
    if (!found.differing.length) return;
    const [luck, review] = await Promise.all([
      this.read<{ entries: LuckEntry[] }>(`${address}luck/`),
      this.read<{ review: { decisions: (ReviewDecision & { best: string })[] } | null }>(`${address}review/${seat}/`),
    ]);
    const rows = found.differing.map((decision) => ({
      game,
      seat,
      decision,
      luck: luckOf(luck?.entries ?? [], decision, seat),
      review: review?.review?.decisions.find(({ version }) => version === decision.version) ?? null,
    }));
    this.rows = [...this.rows, ...rows].sort((one, other) => costOf(other) - costOf(one));
  }

  /** Read what a game may lack. */
  private async read<T>(address: string): Promise<T | null> {
    try {
      return (await this.load(address)) as T;
    } catch (error) {
      if (error instanceof Unread) return null;
      throw error;
    }
  }
}

/** What the moves of a decision were worth to the seat that made them; null if the ledger does not know them. */
export function luckOf(entries: readonly LuckEntry[], { version, until }: Decision, seat: number): number | null {
  const known = entries.length > 0;
  const mine = entries.filter(
    (entry) => entry.sort === "decision" && entry.seat === seat && entry.version > version && entry.version <= until,
  );
  return known ? mine.reduce((sum, { gains }) => sum + (gains[seat] ?? 0), 0) : null;
}

/** What a decision had cost: by the review, or by the luck ledger where the review did not measure it. */
export const costOf = ({ review, luck }: Differing): number => review?.cost ?? -(luck ?? 0);

/** Whether the text now plays what the review found best. */
export const isBest = ({ review, decision }: Differing): boolean =>
  review !== null && decision.says?.length === 1 && decision.says[0] === review.best;

function sentence(error: unknown): string {
  if (error instanceof Stopped) return _("Stopped. Your text is kept.");
  if (error instanceof Hung)
    return _("Your bot did not answer in time after event {version}. Ask it again when that is mended.", {
      version: error.asking.version,
    });
  if (error instanceof Broken)
    return _("Python failed, perhaps because the bot used too much memory. It is started again. Your text is kept.");
  if (error instanceof Unread || error instanceof Lost)
    return _("The games could not be loaded. Check your connection and try again.");
  return error instanceof Error ? error.message : String(error);
}

/** How long the server wants a client to wait at least, in s, if it does not say. */
const WAIT_S = 2;
const MAX_WAITS = 60;

/** Reads the API. When it is asked for too much, it waits as long as the server says. */
export function reader(later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))): World["read"] {
  return async (address, stopped) => {
    for (let waits = 0; ; waits++) {
      const answer = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
      if (answer?.ok) return answer.json();
      const status = answer?.status ?? 0;
      if ([403, 404, 409].includes(status)) throw new Unread(address);
      if (!answer || status !== 429 || waits === MAX_WAITS) throw new Lost(`${address}: ${status}`);
      if (stopped()) throw new Stopped();
      await later(1000 * (Number(answer.headers.get("Retry-After")) || WAIT_S));
    }
  };
}
