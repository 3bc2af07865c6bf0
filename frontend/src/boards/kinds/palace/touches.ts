/** How touches become moves in this kind, and what the tray shows. */

import { cardName } from "../../../cards";
import { _ } from "../../../gettext";
import type { Touches, Zone } from "../../contract";
import { cardsOf, each, named } from "../../parts/items";
import type { PalaceObservation } from "./position";

const ORDER = "3456789TJQKA2*";
const RISING = (a: string, b: string): number => ORDER.indexOf(a[0] ?? "") - ORDER.indexOf(b[0] ?? "");

interface PalaceSeat {
  hand: string[] | null;
  drawn: string | null;
}

export const touches: Touches = {
  things(move) {
    const [verb = "", ranks = ""] = move.split(" ");
    if (ranks === "drawn") return ["drawn"];
    if (verb === "play" || verb === "throw" || verb === "palace") return each("hand", ranks);
    if (verb === "turn") return [`under:${ranks}`];
    return { take: ["pile"], keep: ["pile"], chance: ["stack"] }[verb] ?? [];
  },
  onto: (move) => (/^(?:play|throw) /.test(move) ? "pile" : undefined),
  explains(name, { observation }) {
    const { pile, current, options } = observation as PalaceObservation;
    const named = { "card:A": `card:A-${options.ace}`, "card:*": `card:*-${options.joker}` }[name.slice(0, 6)];
    if (named) return [named];
    if (options.ace === "reset" && /^card:[3-9JQK]/.test(name)) return ["on:A-reset"];
    if (name !== "pile") return [];
    if (current === "A" && options.ace === "threat")
      return [options.joker === "reverse" ? "now:A-threat-reverse" : "now:A-threat"];
    return [!pile.length || current === null || current === "A" || current === "2" ? "now:any" : `now:${current}`];
  },
  zones({ observation: seen }, turn) {
    const own = (seen.seats as PalaceSeat[])[turn.seat];
    const items = cardsOf("hand", [...(own?.hand ?? [])].sort(RISING));
    const drawn: Zone[] = own?.drawn
      ? [
          {
            title: _("Chanced card"),
            sort: "row",
            items: [{ id: "drawn", label: cardName(own.drawn), card: own.drawn }],
          },
        ]
      : [];
    return [{ title: _("Your hand"), sort: "hand", items }, ...drawn];
  },
  attempt: (id) =>
    id.startsWith("hand:")
      ? `play ${named(id)}`
      : id.startsWith("under:")
        ? `turn ${named(id)}`
        : id === "stack"
          ? "chance"
          : "take",
};
