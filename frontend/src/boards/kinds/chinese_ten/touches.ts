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
  /** A card that takes nothing is laid on the first empty spot. */
  onto(move, frame) {
    const empty = ((frame?.observation.spots ?? []) as string[][]).findIndex((cards) => !cards.length);
    return move.startsWith("lay ") && empty >= 0 ? `spot:${empty + 1}` : undefined;
  },
  explains(name, { observation }) {
    if (!name.startsWith("spot:")) return [];
    const top = ((observation.spots ?? []) as string[][])[Number(named(name)) - 1]?.at(-1);
    return [top ? `top:${top[0]}` : "spot-empty"];
  },
  zones: ({ observation: seen }) => [
    { title: _("Your hand"), sort: "hand", items: cardsOf("hand", (seen.hand as string[]) ?? []) },
  ],
  attempt(id, chosen) {
    const card = chosen.find((each) => each.startsWith("hand:"));
    if (id.startsWith("hand:")) return `lay ${named(id)}`;
    if (!id.startsWith("spot:")) return "";
    return card ? `capture ${named(card)} ${named(id)}` : `flip ${named(id)}`; // only a flipped card needs no other
  },
};
