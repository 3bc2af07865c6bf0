/** The review of the seat whose eyes are chosen: asked for, waited for, and handed to the controller. */

import type { Controller } from "../controller.svelte";
import { _ } from "../gettext";
import { cookie } from "../table/cookie";
import type { Review } from "../types";

const AGAIN_MS = 3000;

export interface World {
  /** Read the review of a seat, or ask for it. */
  fetch(seat: number, method: "GET" | "POST"): Promise<Review>;
  /** Call back after `ms`; returns how to call it off. */
  later(ms: number, call: () => void): () => void;
}

/** What the parts of a page get that show a review. */
export interface Props {
  controller: Controller;
  reviewing: Reviewing;
  seat: number;
  /** The chance at this moment, in words. */
  chance: string;
}

export class Reviewing {
  /** What the server has said last of the seat; null while nothing is known. */
  answer: Review | null = $state.raw(null);
  /** What went wrong. */
  said: string = $state("");
  private seat: number | null = null;
  private callOff: (() => void) | null = null;

  constructor(
    private readonly controller: Controller,
    private readonly world: World,
  ) {}

  /** Show the review of a seat; null: of none. */
  show(seat: number | null): void {
    if (seat === this.seat) return;
    this.seat = seat;
    this.take(null);
    this.said = "";
    if (seat !== null) void this.load("GET");
  }

  /** Ask for the review. */
  ask(): void {
    void this.load("POST");
  }

  /** Stop waiting. */
  end(): void {
    this.callOff?.();
    this.callOff = null;
  }

  private async load(method: "GET" | "POST"): Promise<void> {
    const seat = this.seat;
    if (seat === null) return;
    try {
      const answer = await this.world.fetch(seat, method);
      if (seat !== this.seat) return;
      this.said = "";
      this.take(answer);
    } catch (error) {
      if (seat !== this.seat) return;
      this.said = error instanceof Error ? error.message : String(error);
      this.wait();
    }
  }

  private take(answer: Review | null): void {
    this.answer = answer;
    this.controller.setMistakes(answer?.mistakes.map(({ version }) => version) ?? []);
    this.wait();
  }

  /** Read the review again after a while, if a worker makes it. */
  private wait(): void {
    this.end();
    if (this.answer?.state === "waiting" || this.answer?.state === "computing")
      this.callOff = this.world.later(AGAIN_MS, () => void this.load("GET"));
  }
}

/** The reviews of a game by the API at `address`. */
export function reviewWorld(address: string): World {
  return {
    async fetch(seat, method) {
      const headers = { Accept: "application/json", "X-CSRFToken": cookie("csrftoken") };
      let answer: Response;
      try {
        answer = await fetch(`${address}review/${seat}/`, { method, headers });
      } catch {
        throw new Error(_("The server could not be reached. Check your connection and try again."));
      }
      const body = (await answer.json()) as Review & { error?: { sentence: string } };
      if (!answer.ok) throw new Error(body.error?.sentence ?? _("The server refused the request. Reload the page."));
      return body;
    },
    later(ms, call) {
      const timer = window.setTimeout(call, ms);
      return () => window.clearTimeout(timer);
    },
  };
}
