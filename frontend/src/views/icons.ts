/** SVG paths in a field of 24 by 24. */

import { _ } from "../gettext";

export const ICONS: Record<string, string> = {
  first: "M6 5v14M19 5 10 12l9 7z",
  back: "M16 5 7 12l9 7z",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  forward: "m8 5 9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  down: "M12 4v11M8 11.5l4 4 4-4M5 20h14",
  code: "m8 7-5 5 5 5M16 7l5 5-5 5",
  check: "m5 12.500 4.500 4.500L19 7.500",
  cross: "m6 6 12 12M18 6 6 18",
  sound: "M4 9.500v5h4l5 4.500V5L8 9.500zM16 9a4.200 4.200 0 0 1 0 6M18.500 6.500a7.800 7.800 0 0 1 0 11",
  silence: "M4 9.500v5h4l5 4.500V5L8 9.500zM16.500 9.500l5 5M21.500 9.500l-5 5",
  theatre: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  leave: "M9 4v5H4M20 9h-5V4M15 20v-5h5M4 15h5v5",
  share: "M12 15V4M8 7.5 12 3.5l4 4M6 11H5v9h14v-9h-1",
};

/** Highlights above the scrubber, in a field of 16 by 16. `filled`: draw the shape filled. */
export const SIGNS: Record<string, [path: string, filled: boolean, words: string]> = {
  lead: ["M8 1 15 15H1z", true, _("lead changes")],
  capture: ["M8 0 10 5.6 16 6 11.3 9.7 13 16 8 12.4 3 16 4.7 9.7 0 6 6 5.600z", true, _("25 points at once")],
  chain: ["M1 8a4 4 0 1 0 8 0 4 4 0 1 0-8 0zM7 8a4 4 0 1 0 8 0 4 4 0 1 0-8 0z", false, _("chain of flips")],
  clear: ["M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0z", false, _("pile cleared")],
  take: ["M8 15 1 3h14z", false, _("ten cards or more taken")],
  race: ["M9 0 2 9h5l-1 7 8-10H8z", true, _("quick throw or call")],
  threat: ["M8 1 15 15H1zM8 6v4M8 12v1", false, _("threat")],
  out: ["M8 0 16 8 8 16 0 8z", true, _("no cards left")],
  got: ["M8 1v9M4 6.500l4 4 4-4M2 15h12", false, _("card received by asking")],
  streak: ["M3 2v12M8 2v12M13 2v12", false, _("three matches in a turn")],
  bomb: ["M2 10a5.500 5.500 0 1 0 11 0 5.500 5.500 0 1 0-11 0zM11 5l3-4", true, _("a bomb goes off")],
  round: ["M2 2h12v12H2z", false, _("a round begins")],
};
