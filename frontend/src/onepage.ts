/** The entry of a page that needs no server: a finished game through everybody's eyes, packed into the page itself. */

import { mount } from "svelte";
import App from "./App.svelte";
import { boardOf } from "./boards/load";
import { Controller, type World } from "./controller.svelte";
import { linkTo, versionIn } from "./link";
import { initialState } from "./state";
import type { Eyes, Page, Replay } from "./types";

/** What the page holds: the replay of each eyes, those that are shown first, and what is said of the game. */
interface Packed {
  first: Eyes;
  replays: Record<Eyes, Replay>;
  page: Page;
}

/** The JSON behind gzip and base64. */
async function unpacked(text: string): Promise<Packed> {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as Packed;
}

function pageWorld({ replays, page }: Packed): World {
  return {
    load(eyes) {
      const replay = replays[eyes];
      return replay ? Promise.resolve(replay) : Promise.reject(new Error(`There are no eyes ${eyes} in this page.`));
    },
    later(ms, call) {
      const timer = window.setTimeout(call, ms);
      return () => window.clearTimeout(timer);
    },
    // A browser lets a file change nothing of its address but what follows the #.
    remember(_eyes, version) {
      window.history.replaceState(null, "", `#${version}`);
    },
    copy(text) {
      return navigator.clipboard.writeText(text);
    },
    link(eyes, version) {
      return linkTo(window.location.href, eyes, version);
    },
    page() {
      return Promise.resolve(page);
    },
  };
}

async function start(target: HTMLElement, text: string): Promise<void> {
  const packed = await unpacked(text);
  const eyes = new URLSearchParams(window.location.search).get("eyes") ?? packed.first;
  const replay = packed.replays[eyes] ?? packed.replays[packed.first];
  if (!replay) return;
  const state = initialState(replay, packed.page, versionIn(window.location.hash));
  const board = await boardOf(replay.game.kind);
  mount(App, { target, props: { controller: new Controller(state, pageWorld(packed)), board } });
}

const target = document.getElementById("replay");
const packed = document.getElementById("packed")?.textContent;
if (target && packed) void start(target, packed);
