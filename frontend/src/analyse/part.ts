/** What the viewer loads when somebody analyses a moment. */

import { Python } from "../lab/python";
import type { Page } from "../types";
import { Analysing } from "./analysing.svelte";
import { browserWorld } from "./world";

export { default as Analyse } from "./Analyse.svelte";

let only: Analysing | null = null;

/** The analysis of this page's game. There is one, because there is one Python. */
export function analysingOf(page: Page): Analysing {
  if (!only) {
    const python = new Python(page.python ?? { frame: "", wheels: [] }, document.documentElement.lang);
    python.place(document.body);
    only = new Analysing(browserWorld(page, python));
  }
  return only;
}
