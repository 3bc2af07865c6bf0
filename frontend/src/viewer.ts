/** The entry of the replay viewer: makes the state and the controller, draws, and follows a running game. */

import { mount } from "svelte";
import App from "./App.svelte";
import type { Board } from "./boards/contract";
import { Controller, type World } from "./controller.svelte";
import { load, startLater } from "./later";
import { linkedVersion, linkTo, sharedLink } from "./link";
import type { Page, Replay } from "./types";

function browserWorld(page: Page): World {
  let remembering = 0;
  return {
    async load(viewpoint, since, until) {
      const from = page.commentary ? "" : `viewpoint=${viewpoint}&`; // commentators have one viewpoint
      const last = until === undefined ? "" : `&until=${until}`;
      const answer = await fetch(`${page.replay}?${from}since=${since}${last}`, {
        headers: { Accept: "application/json" },
      });
      if (!answer.ok) throw new Error(`The replay was refused with ${answer.status}.`);
      return (await answer.json()) as Replay;
    },
    later(ms, call) {
      const timer = window.setTimeout(call, ms);
      return () => window.clearTimeout(timer);
    },
    // A browser refuses many changes of the address in a row (a dragged scrubber), so only the last one is written.
    remember(viewpoint, version) {
      if (page.moment !== undefined) return;
      window.clearTimeout(remembering);
      remembering = window.setTimeout(() => {
        window.history.replaceState(null, "", linkTo(window.location.href, viewpoint, version));
      }, 150);
    },
    copy(text) {
      return navigator.clipboard.writeText(text);
    },
    link(viewpoint, version) {
      return sharedLink(window.location.href, viewpoint, version);
    },
    async page() {
      const { pageOf, refresh } = await import("./fresh");
      return pageOf(await refresh()) ?? page;
    },
  };
}

/** Follow a running game. What reads the stream is loaded for it. Returns a function that stops it. */
function followed(controller: Controller, page: Page): () => void {
  return startLater(
    () => import("./live"),
    ({ follow, poll }) => (page.commentary ? poll(controller, page.replay) : follow(controller, page.events)),
  );
}

export function start(target: HTMLElement, replay: Replay, page: Page, board: Board): void {
  const linked = page.moment ?? linkedVersion(window.location.href);
  const wanted = linked ?? (page.result || page.broadcast ? replay.version : null); // a finished game opens at its end
  const controller = new Controller(replay, page, wanted, browserWorld(page));
  const put = controller.at;
  const loadReviews = () => import("./review/part");
  const ends = linked === null;
  const follow = () => followed(controller, page);
  mount(App, { target, props: { controller, board, follow, loadReviews, ends } });
  if (page.told !== null)
    load(
      () => import("./rest"),
      // Whoever has gone elsewhere before this part came stays there.
      ({ keepCompleting }) => void keepCompleting(controller, controller.at === put ? wanted : null),
    );
}
