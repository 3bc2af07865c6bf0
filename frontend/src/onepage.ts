/** The entry of the one-page export: a finished game from every viewpoint. It needs no server. */

import { mount } from "svelte";
import App from "./App.svelte";
import { boardOf } from "./boards/load";
import { Controller, type World } from "./controller.svelte";
import { linkTo, versionIn } from "./link";
import type { Viewpoint, Page, Replay } from "./types";
import * as deck from "./views/deck";

/** The data of the page: the replay from each viewpoint, the viewpoint to show first, and the page's facts. */
interface Packed {
  first: Viewpoint;
  replays: Record<Viewpoint, Replay>;
  page: Page;
}

/** Decode the page's data: JSON, compressed by gzip, as base64. */
async function unpacked(text: string): Promise<Packed> {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as Packed;
}

function pageWorld({ replays, page }: Packed): World {
  return {
    load(viewpoint) {
      const replay = replays[viewpoint];
      return replay
        ? Promise.resolve(replay)
        : Promise.reject(new Error(`There is no viewpoint ${viewpoint} in this page.`));
    },
    later(ms, call) {
      const timer = window.setTimeout(call, ms);
      return () => window.clearTimeout(timer);
    },
    // In a page from a file, a browser allows only the part after # to change.
    remember(_viewpoint, version) {
      window.history.replaceState(null, "", `#${version}`);
    },
    copy(text) {
      return navigator.clipboard.writeText(text);
    },
    link(viewpoint, version) {
      return linkTo(window.location.href, viewpoint, version);
    },
    page() {
      return Promise.resolve(page);
    },
  };
}

async function start(target: HTMLElement, text: string): Promise<void> {
  const packed = await unpacked(text);
  const viewpoint = new URLSearchParams(window.location.search).get("viewpoint") ?? packed.first;
  const replay = packed.replays[viewpoint] ?? packed.replays[packed.first];
  if (!replay) return;
  const version = versionIn(window.location.hash);
  const board = await boardOf(replay.game.kind);
  mount(App, {
    target,
    props: { controller: new Controller(replay, packed.page, version, pageWorld(packed)), board, deck },
  });
}

const target = document.getElementById("replay");
const packed = document.getElementById("packed")?.textContent;
if (target && packed) void start(target, packed);
