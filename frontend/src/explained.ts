/** Explains the things of a table. The part that does it is loaded when somebody first points at one. */

import type { Explainer, Source } from "./explain/part";
import type { Explanations } from "./explain/names";
import type { Page } from "./types";

/** The events that load it. */
const FIRST = ["pointerover", "pointerdown", "focusin", "keydown"] as const;

/** Return the explanations of the page's kind. A page from a file brings them; others ask for them. */
export async function explanationsOf({ explanations = "" }: Page): Promise<Explanations> {
  if (typeof explanations !== "string") return explanations;
  if (!explanations) return {};
  const answer = await fetch(explanations, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`The explanations were refused with ${answer.status}.`);
  return ((await answer.json()) as { explanations: Explanations }).explanations;
}

/** Let the things in `root` explain themselves. `changed` closes what the page's new state has made untrue. */
export function explaining(root: HTMLElement, source: Source): { changed(): void; end(): void } {
  const waiting = new AbortController();
  const meanwhile: Event[] = []; // what happens while the part is on its way is not lost
  let explainer: Explainer | null = null;
  function begin(event: Event): void {
    const key = event instanceof KeyboardEvent ? event.key.toLowerCase() : null;
    if (key !== null && key !== source.shortcuts.keys.explain) return;
    if (meanwhile.push(event) > 1) return;
    import("./explain/part").then(
      (part) => {
        if (waiting.signal.aborted) return;
        waiting.abort();
        explainer = new part.Explainer(root, source);
        for (const each of meanwhile) explainer.begin(each);
      },
      () => waiting.abort(), // the table can be played without
    );
  }
  for (const what of FIRST)
    (what === "keydown" ? window : root).addEventListener(what, begin, { signal: waiting.signal });
  return {
    changed: () => explainer?.close(),
    end() {
      waiting.abort();
      explainer?.destroy();
    },
  };
}
