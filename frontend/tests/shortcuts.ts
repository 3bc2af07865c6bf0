/** The default keyboard shortcuts (games/common/shortcuts.py). */

import type { Shortcuts } from "../src/types";

export const USUAL: Shortcuts = {
  on: true,
  keys: {
    back: "k",
    forward: "j",
    previous_moment: "b",
    next_moment: "n",
    next_mistake: "m",
    play: "p",
    speed: "s",
    pace: "r",
    next_view: "f",
    public_view: "0",
    all_cards: "a",
    copy_link: "l",
    roll: "r",
    explain: "x",
    theatre: "z",
    help: "?",
  },
};
