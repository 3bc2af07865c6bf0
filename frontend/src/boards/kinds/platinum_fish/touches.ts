/** How touches become moves in this kind, and what the tray shows. */

import { rankName } from "../../../cards";
import { _, ngettext } from "../../../gettext";
import type { Touches, Zone } from "../../contract";
import { cardsOf, named } from "../../parts/items";

const RANKS = [..."A23456789TJQK"];

export const touches: Touches = {
  things(move) {
    const [verb, one = "", rank = ""] = move.split(" ");
    if (verb === "draw") return [one];
    if (verb === "ask") return [`seat:${one}`, `rank:${rank}`];
    return verb === "fish" || verb === "salvage" ? [`rank:${one}`] : [];
  },
  zones({ observation: seen }, turn) {
    const hand = (seen.hand as string[]) ?? [];
    const zones: Zone[] = [{ title: _("Your hand"), sort: "hand", items: cardsOf("rank", hand) }];
    const asks = turn.legal.filter(({ move }) => move.startsWith("ask"));
    const counts = seen.hand_counts as number[];
    if (asks.length) {
      const others = counts.map((_, seat) => seat).filter((seat) => seat !== turn.seat);
      zones.push({
        title: _("Ask"),
        sort: "seats",
        items: others.map((seat) => ({
          id: `seat:${seat}`,
          label: ngettext("{count} card", "{count} cards", counts[seat] ?? 0),
          seat,
        })),
      });
    }
    if (asks.length || turn.legal.some(({ move }) => move.startsWith("salvage"))) {
      const held = (rank: string): boolean => hand.some((card) => card.startsWith(rank));
      const items = RANKS.map((rank) => ({
        id: `rank:${rank}~row`,
        label: held(rank) ? _("{rank}, in your hand", { rank: rankName(rank) }) : rankName(rank),
        rank,
        held: held(rank),
      }));
      zones.push({ title: _("Rank"), sort: "ranks", items });
    }
    return zones;
  },
  attempt: (id, chosen) => {
    const seat = chosen.find((each) => each.startsWith("seat:"));
    if (id === "deck" || id === "discard") return `draw ${id}`;
    return seat ? `ask ${named(seat)} ${named(id)}` : id.startsWith("rank:") ? `fish ${named(id)}` : "";
  },
};
