/** How touches become moves in this kind, and what the tray shows. */

import { cardName } from "../../../cards";
import { _ } from "../../../gettext";
import type { Touches } from "../../contract";
import { cardsOf, each, named } from "../../parts/items";
import { FACE_DOWN } from "./position";

interface PlatesSeat {
  primary: string[] | null;
  revealed: string[];
  unseen: (string | null)[];
}

export const touches: Touches = {
  things(move) {
    const [verb = "", what = ""] = move.split(" ");
    const [hand = "", revealed = ""] = what.replace("!", "").split("/");
    if (verb === "take") return ["dish"];
    if (verb === "blind") return [`unseen:${what}`];
    return [...each("hand", hand), ...each("revealed", revealed)];
  },
  onto: (move) => (move === "take" ? undefined : "dish"),
  explains(name, { observation }) {
    if (name !== "dish" || observation.phase === "add") return []; // after a turned card, only equal ones (PL-17)
    const top = ((observation.plate ?? []) as string[]).at(-1);
    return [top ? `now:${top[0]}` : "now:empty"];
  },
  zones({ observation: seen }, turn) {
    const own = (seen.seats as PlatesSeat[])[turn.seat];
    const unseen = (own?.unseen ?? []).flatMap((card, place) =>
      card === null
        ? []
        : [
            {
              id: `unseen:${place}`,
              label: _("unseen card {number}", { number: place + 1 }),
              card: card === FACE_DOWN ? null : card,
            },
          ],
    );
    const revealed = cardsOf("revealed", own?.revealed ?? [], (card) =>
      _("{card}, revealed", { card: cardName(card) }),
    );
    return [
      { title: _("Primary hand (only you can see it)"), sort: "hand", items: cardsOf("hand", own?.primary ?? []) },
      { title: _("Revealed and unseen cards"), sort: "row", items: [...revealed, ...unseen] },
    ];
  },
  attempt(id) {
    if (id.startsWith("hand:")) return `place ${named(id)}`;
    if (id.startsWith("revealed:")) return `place /${named(id)}`;
    return id.startsWith("unseen:") ? `blind ${named(id)}` : "take";
  },
};
