/** What an analysis asks of the server and of the browser. */

import type { Python } from "../lab/python";
import type { Page } from "../types";
import type { World } from "./analysing.svelte";
import type { Analysis, LuckEntry, Moment } from "./types";

/** The last analysis is kept under this name, so that a closed tab loses nothing. */
const KEPT = "scorebook.analysis";

interface Kept extends Moment {
  game: string;
  analysis: Analysis;
}

async function read<T>(address: string): Promise<T> {
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`${address} was answered with ${answer.status}.`);
  return (await answer.json()) as T;
}

export function browserWorld({ game, json }: Page, python: Python): World {
  let loading: Promise<unknown> | null = null;
  return {
    runner: python.runner,
    wake: () => python.wake(),
    async game() {
      loading ??= read(json);
      try {
        return await loading;
      } catch (error) {
        loading = null; // it is asked for again
        throw error;
      }
    },
    async luck() {
      const { state, entries } = await read<{ state: string; entries: LuckEntry[] }>(`${game}luck/`);
      return state === "done" ? entries : null;
    },
    later(ms, call) {
      const timer = window.setTimeout(call, ms);
      return () => window.clearTimeout(timer);
    },
    keep({ seat, version }, analysis) {
      try {
        localStorage.setItem(KEPT, JSON.stringify({ game, seat, version, analysis } satisfies Kept));
      } catch {
        return; // a browser may refuse to keep anything
      }
    },
    kept({ seat, version }) {
      try {
        const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null") as Kept | null;
        return kept?.game === game && kept.seat === seat && kept.version === version ? kept.analysis : null;
      } catch {
        return null;
      }
    },
  };
}
