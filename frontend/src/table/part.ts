/** What the first drawing of a table does not need: the list of keys. */

import { _ } from "../gettext";
import type { KeyList } from "../keylist";
import type { Shortcuts } from "../types";

export { default as Help } from "../views/Help.svelte";

/** Return the rows of the help. */
export function keyList({ on, keys }: Shortcuts): KeyList {
  const fixed: KeyList = [
    [["←", "→"], _("go to the next card or die that you can choose")],
    [[_("Enter")], _("choose it, or play the chosen move")],
    [[_("Esc")], _("undo the choice")],
  ];
  const chosen: KeyList = [
    [["A", "2", "K"], _("choose a card of this rank or a die with this number; T or 0 for a ten")],
    [[keys.roll ?? ""], _("roll all dice that are not chosen")],
    [[keys.help ?? ""], _("show this list")],
  ];
  return on ? [...fixed, ...chosen] : fixed;
}
