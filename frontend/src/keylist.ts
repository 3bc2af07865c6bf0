/** The list of the viewer's keys, with the words that explain them. */

import { _ } from "./gettext";
import type { Shortcuts } from "./types";

/** Keys, with the words that explain them. */
export type KeyList = [keys: string[], words: string][];

/** Return the rows of the help. */
export function keyList({ on, keys }: Shortcuts): KeyList {
  const of = (...names: string[]): string[] => names.map((name) => keys[name] ?? "");
  const fixed: KeyList = [
    [["←", "→"], _("previous step, next step")],
    [[_("Home"), _("End")], _("first step, last step")],
    [[_("Space")], _("play and pause, on the controls")],
  ];
  const chosen: KeyList = [
    [of("back", "forward"), _("previous step, next step")],
    [of("previous_moment", "next_moment"), _("previous highlight, next highlight")],
    [of("next_mistake"), _("next mistake, in a review")],
    [of("play"), _("play or pause")],
    [of("speed"), _("next speed")],
    [of("pace"), _("next playback mode: even pace, slow at highlights, real time")],
    [of("next_view"), _("view of the next player")],
    [["1", "8"], _("view of seat 1 to 8")],
    [of("public_view"), _("public view")],
    [of("all_cards"), _("all cards")],
    [of("copy_link"), _("copy the link to this moment")],
    [of("explain"), _("explain the things on the table; the arrow keys go on")],
    [of("theatre"), _("the table in the whole window")],
    [of("help"), _("show this list")],
  ];
  return on ? [...fixed, ...chosen] : fixed;
}
