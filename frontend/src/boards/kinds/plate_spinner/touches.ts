/** How touches become moves in this kind, and what the tray shows. */

import { _ } from "../../../gettext";
import type { Touches } from "../../contract";
import { each, named } from "../../parts/items";
import type { Frame, Replay } from "../../../types";
import { type Item, rolledBy } from "./position";

interface Spinner {
  dice: string;
  plates: { id: string; rim: string | null }[];
}

/** Return what the place wants on which a move puts a die, such as `5+`; "" for one of a group of equal dice or so. */
function wish(move: string, frame: Frame, { items }: Replay): string {
  const [, , plate = "", at = ""] = move.split(" ");
  const held = (frame.observation.players as Spinner[]).flatMap(({ plates }) => plates).find(({ id }) => id === plate);
  const [group, place] = at.split(".").map(Number);
  const parts = [plate, held?.rim].map((id) => (items as Record<string, Item>)[id ?? ""]?.needs ?? []);
  return parts.flat()[group ?? -1]?.slots?.[place ?? -1] ?? "";
}

export const touches: Touches = {
  things(move) {
    const [verb, one = "", plate = ""] = move.split(" ");
    if (verb === "roll") return each("die", one);
    if (verb === "assign") return [`die:${one}`, `plate:${plate}`];
    if (verb === "draft") return [`plate:${one}`];
    if (verb === "attach") return [`plate:${one}`, `plate:${plate}`];
    return verb === "grab" ? ["meeple"] : [];
  },
  explains(name, _frame, replay) {
    const item = (replay.items as Record<string, Item>)[named(name)];
    if (!name.startsWith("plate:") || !item) return [];
    const colour = item.colour === "yellow" ? ["colour:yellow"] : item.colour ? ["colour:square"] : [];
    const needs = item.needs.map(({ kind }) => `need:${kind}`);
    return [
      item.sort === "plate" ? "spun" : item.sort,
      ...(item.bomb ? ["bomb"] : []),
      ...needs,
      ...(item.dice ? [item.sort === "rim" ? "brings-neutral" : "brings"] : []),
      ...colour,
    ];
  },
  zones(frame, turn) {
    const { observation: seen } = frame;
    const rolled = rolledBy(frame, turn.seat);
    const dice = [...((seen.players as Spinner[])[turn.seat]?.dice ?? "")];
    const places: Record<string, number> = {};
    const items = dice.map((die) => ({
      id: `die:${die}~${(places[die] = (places[die] ?? -1) + 1)}`,
      label: _("die that shows {die}", { die }),
      die: Number(die),
    }));
    return [{ title: _("Your free dice"), sort: "dice", items, ...(rolled ? { rolled } : {}) }];
  },
  attempt(id, chosen) {
    const die = chosen.find((each) => each.startsWith("die:"));
    if (id.startsWith("plate:")) return die ? `assign ${named(die)} ${named(id)} 0` : `draft ${named(id)}`;
    return id === "meeple" ? "grab" : "";
  },
  same(one, other, frame, replay) {
    const [first, second] = [one, other].map((move) => move.split(" ").slice(0, 3).join(" "));
    if (!frame || first !== second || !one.startsWith("assign ")) return false;
    const wanted = wish(one, frame, replay);
    return wanted !== "" && wanted === wish(other, frame, replay);
  },
  oneOf: "die:",
};
