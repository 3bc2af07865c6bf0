/** Fetches the rest of a long game; the page has only its beginning. */

import type { Controller } from "./controller.svelte";
import { _ } from "./gettext";
import { indexAt } from "./link";

const PIECE = 200;
const AGAIN_MS = 5000;

/**
 * Fetch the rest in pieces. A second call resumes where the first one stopped. If the linked moment (`wanted`) was
 * missing and the reader has not moved since, the viewer goes there when it arrives.
 */
export async function complete(controller: Controller, wanted: number | null): Promise<void> {
  const put = controller.at;
  let { told } = controller.page;
  while (told !== null) {
    const { viewpoint, version } = controller.replay;
    const until = Math.min(told + PIECE, version);
    const piece = await controller.world.load(viewpoint, told, until);
    const { replay, page, at } = controller;
    if (page.told !== told) return; // the whole game was loaded from another viewpoint meanwhile
    const frames = [...replay.frames, ...piece.frames];
    const taken = wanted !== null && told < wanted && wanted <= until && at === put && !controller.playing;
    told = until < version ? until : null;
    controller.change({
      replay: {
        ...replay,
        asks: piece.asks ?? "",
        items: piece.items,
        frames,
        scores: [...replay.scores, ...piece.scores],
      },
      page: { ...page, told },
      at: taken ? indexAt(frames, wanted) : at,
    });
  }
}

/** Fetch the rest. If that fails, tell the reader and try again. */
export async function keepCompleting(controller: Controller, wanted: number | null): Promise<void> {
  try {
    await complete(controller, wanted);
  } catch {
    missed(controller);
    window.setTimeout(() => void keepCompleting(controller, wanted), AGAIN_MS);
  }
}

/** Tell the reader that `complete` failed. */
export function missed(controller: Controller): void {
  controller.tell(_("The rest of the game could not be loaded. Check your connection. The next attempt is automatic."));
}
