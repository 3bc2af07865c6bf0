/** The motifs of plates: faint, and more than a quarter of the board's script, so they come after the first drawing. */

import { load } from "../../../later";

let motifs: Record<string, string> = $state.raw({});
let asked = false;

/** Return the path of a motif; empty until the motifs are there. */
export function motifOf(name: string): string {
  if (!asked)
    load(
      () => import("./motifs"),
      (part) => (motifs = part.MOTIFS),
    );
  asked = true;
  return motifs[name] ?? "";
}
