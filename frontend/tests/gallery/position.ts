/** Shows one position of a golden game in a page. */

import { sit, view } from "../browser/mounting";
import type { Moment } from "../browser/golden";
import { gameOf, queryOf } from "./query";

const asked = new URLSearchParams(window.location.search);
const DARK = "(prefers-color-scheme: dark)";

/** Use the light or dark look, whatever the browser prefers. */
function dress(dark: boolean): void {
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  for (const rule of [...document.styleSheets].flatMap(rulesOf))
    if (rule instanceof CSSMediaRule && rule.media.mediaText.includes(DARK))
      rule.media.mediaText = rule.media.mediaText.replace(DARK, dark ? "(width >= 0)" : "(width < 0)");
}

/** Return the rules of a sheet, with those in its layers. */
function rulesOf(sheet: { cssRules: CSSRuleList }): CSSRule[] {
  return [...sheet.cssRules].flatMap((rule) => (rule instanceof CSSLayerBlockRule ? [rule, ...rulesOf(rule)] : [rule]));
}

const query = queryOf(window.location.search);
const game = gameOf(query);
const moment = game.moments[Number(asked.get("at"))] as Moment;
dress(asked.get("look") === "dark");
if (query.viewpoint === "table") {
  const seat = moment.seats.findIndex(({ legal }) => legal.length);
  sit(game, moment, seat);
} else view(game, query.viewpoint, moment.version);
document.body.dataset.ready = "yes";
