/** A page on which somebody looks: make the state and its controller, draw, and follow a game that is still on. */

import { mount } from "svelte";
import App from "./App.svelte";
import { Controller, type World } from "./controller";
import { refresh } from "./fresh";
import { linkTo, versionIn } from "./link";
import { follow } from "./live";
import { initialState } from "./state";
import type { Page, Replay } from "./types";

const AGAIN_MS = 5000;

function browserWorld(page: Page): World {
  let remembering = 0;
  return {
    async load(eyes, since, until) {
      const last = until === undefined ? "" : `&until=${until}`;
      const answer = await fetch(`${page.replay}?eyes=${eyes}&since=${since}${last}`, {
        headers: { Accept: "application/json" },
      });
      if (!answer.ok) throw new Error(`The replay was refused with ${answer.status}.`);
      return (await answer.json()) as Replay;
    },
    later(ms, call) {
      const timer = window.setTimeout(call, ms);
      return () => window.clearTimeout(timer);
    },
    // Browsers refuse many changes of an address in a row (a scrubber being dragged), so only the last counts.
    remember(eyes, version) {
      window.clearTimeout(remembering);
      remembering = window.setTimeout(() => {
        window.history.replaceState(null, "", linkTo(window.location.href, eyes, version));
      }, 150);
    },
    copy(text) {
      return navigator.clipboard.writeText(text);
    },
    link(eyes, version) {
      return linkTo(window.location.href, eyes, version);
    },
    async page() {
      const fresh = (await refresh()).getElementById("replay-page");
      return fresh?.textContent ? (JSON.parse(fresh.textContent) as Page) : page;
    },
  };
}

export function start(target: HTMLElement, replay: Replay, page: Page): void {
  const wanted = versionIn(window.location.hash);
  const state = initialState(replay, page, wanted);
  let followed = "";
  let stop: () => void = () => undefined;
  mount(App, {
    target,
    props: {
      first: state,
      connect: (redraw) => {
        const controller = new Controller(state, browserWorld(page), (next) => {
          redraw(next);
          watch(controller);
        });
        watch(controller);
        void complete(controller);
        return controller;
      },
    },
  });

  async function complete(controller: Controller): Promise<void> {
    try {
      await controller.complete(wanted);
    } catch {
      controller.missed();
      window.setTimeout(() => void complete(controller), AGAIN_MS);
    }
  }

  // One stream at a time, through the eyes that are chosen; none once the game is over.
  function watch(controller: Controller): void {
    const { game, eyes } = controller.state.replay;
    const wanted = game.status === "playing" ? eyes : "";
    if (wanted === followed) return;
    stop();
    followed = wanted;
    stop = wanted ? follow(controller, page.events) : () => undefined;
  }
}
