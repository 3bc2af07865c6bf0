/** How touches become moves in this kind, and what the tray shows. */

import { _ } from "../../../gettext";
import type { Touches } from "../../contract";
import { cardsOf, named } from "../../parts/items";

export const touches: Touches = {
  things(move) {
    const [verb, one = "", spot = ""] = move.split(" ");
    if (verb === "flip" || verb === "cover") return [`spot:${one}`];
    return spot ? [`hand:${one}`, `spot:${spot}`] : [`hand:${one}`];
  },
  zones: ({ observation: seen }) => [
    { title: _("Your hand"), sort: "hand", items: cardsOf("hand", (seen.hand as string[]) ?? []) },
  ],
  attempt(id, chosen) {
    const card = chosen.find((each) => each.startsWith("hand:"));
    if (id.startsWith("hand:")) return `lay ${named(id)}`;
    return card && id.startsWith("spot:") ? `capture ${named(card)} ${named(id)}` : "";
  },
};
