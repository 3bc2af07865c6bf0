/**
 * For each kind: which things on the table the words of its notation name, and what lies in the tray. It says how a
 * move is written, never whether one is legal.
 */

import { cardName, rankName } from "../cards";
import { FACE_DOWN } from "../boards/plates";
import { _, ngettext } from "../gettext";
import type { Observation, Turn } from "../types";

/** Something in the tray: a card (null: face down), a die or a rank. */
export interface Item {
  id: string;
  label: string;
  card?: string | null;
  die?: number;
  rank?: string;
  seat?: number;
  /** One of these is in the hand. */
  held?: boolean;
}

export interface Zone {
  title: string;
  /** Which of the items it holds are drawn, and how. */
  sort: "hand" | "row" | "dice" | "ranks" | "seats";
  items: Item[];
}

export interface Kind {
  things(move: string): string[];
  zones(seen: Observation, turn: Turn): Zone[];
  /** The move that a touch was meant as, where no legal move mentions the thing: the server says what is against it. */
  attempt(id: string, chosen: readonly string[]): string;
  /** Things of which any one will do. */
  oneOf: string;
}

const RANKS = [..."A23456789TJQK"];
const name = (id: string): string => id.split("~")[0]?.split(":")[1] ?? "";
const each = (sort: string, ranks: string): string[] => [...ranks].map((rank) => `${sort}:${rank}`);

/** Cards as items; equal ranks are told apart by their place among them. */
function cardsOf(sort: string, cards: readonly string[], label = cardName): Item[] {
  const seen: Record<string, number> = {};
  return cards.map((card) => {
    const rank = card[0] ?? "";
    const place = (seen[rank] = (seen[rank] ?? -1) + 1);
    return { id: `${sort}:${rank}~${place}`, label: label(card), card };
  });
}

const ORDER = "3456789TJQKA2*";
const RISING = (a: string, b: string): number => ORDER.indexOf(a[0] ?? "") - ORDER.indexOf(b[0] ?? "");

const chineseTen: Kind = {
  things(move) {
    const [verb, one = "", spot = ""] = move.split(" ");
    if (verb === "flip" || verb === "cover") return [`spot:${one}`];
    return spot ? [`hand:${one}`, `spot:${spot}`] : [`hand:${one}`];
  },
  zones: (seen) => [{ title: _("Your hand"), sort: "hand", items: cardsOf("hand", (seen.hand as string[]) ?? []) }],
  attempt(id, chosen) {
    const card = chosen.find((each) => each.startsWith("hand:"));
    if (id.startsWith("hand:")) return `lay ${name(id)}`;
    return card && id.startsWith("spot:") ? `capture ${name(card)} ${name(id)}` : "";
  },
  oneOf: "",
};

interface PalaceSeat {
  hand: string[] | null;
  drawn: string | null;
}

const palace: Kind = {
  things(move) {
    const [verb = "", ranks = ""] = move.split(" ");
    if (ranks === "drawn") return ["drawn"];
    if (verb === "play" || verb === "throw" || verb === "palace") return each("hand", ranks);
    if (verb === "turn") return [`under:${ranks}`];
    return { take: ["pile"], keep: ["pile"], chance: ["stack"] }[verb] ?? [];
  },
  zones(seen, turn) {
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
      ? `play ${name(id)}`
      : id.startsWith("under:")
        ? `turn ${name(id)}`
        : id === "stack"
          ? "chance"
          : "take",
  oneOf: "",
};

interface PlatesSeat {
  primary: string[] | null;
  revealed: string[];
  unseen: (string | null)[];
}

const plates: Kind = {
  things(move) {
    const [verb = "", what = ""] = move.split(" ");
    const [hand = "", revealed = ""] = what.replace("!", "").split("/");
    if (verb === "take") return ["dish"];
    if (verb === "blind") return [`unseen:${what}`];
    return [...each("hand", hand), ...each("revealed", revealed)];
  },
  zones(seen, turn) {
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
    if (id.startsWith("hand:")) return `place ${name(id)}`;
    if (id.startsWith("revealed:")) return `place /${name(id)}`;
    return id.startsWith("unseen:") ? `blind ${name(id)}` : "take";
  },
  oneOf: "",
};

const platinumFish: Kind = {
  things(move) {
    const [verb, one = "", rank = ""] = move.split(" ");
    if (verb === "draw") return [one];
    if (verb === "ask") return [`seat:${one}`, `rank:${rank}`];
    return verb === "fish" || verb === "salvage" ? [`rank:${one}`] : [];
  },
  zones(seen, turn) {
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
    return seat ? `ask ${name(seat)} ${name(id)}` : id.startsWith("rank:") ? `fish ${name(id)}` : "";
  },
  oneOf: "",
};

interface Spinner {
  dice: string;
}

const plateSpinner: Kind = {
  things(move) {
    const [verb, one = "", plate = ""] = move.split(" ");
    if (verb === "roll") return each("die", one);
    if (verb === "assign") return [`die:${one}`, `plate:${plate}`];
    if (verb === "draft") return [`plate:${one}`];
    if (verb === "attach") return [`plate:${one}`, `plate:${plate}`];
    return verb === "grab" ? ["meeple"] : [];
  },
  zones(seen, turn) {
    const dice = [...((seen.players as Spinner[])[turn.seat]?.dice ?? "")];
    const places: Record<string, number> = {};
    const items = dice.map((die) => ({
      id: `die:${die}~${(places[die] = (places[die] ?? -1) + 1)}`,
      label: _("die that shows {die}", { die }),
      die: Number(die),
    }));
    return [{ title: _("Your free dice"), sort: "dice", items }];
  },
  attempt(id, chosen) {
    const die = chosen.find((each) => each.startsWith("die:"));
    if (id.startsWith("plate:")) return die ? `assign ${name(die)} ${name(id)} 0` : "";
    return id === "meeple" ? "grab" : "";
  },
  oneOf: "die:",
};

const PLAIN: Kind = { things: () => [], zones: () => [], attempt: () => "", oneOf: "" };

const KINDS: Record<string, Kind> = {
  chinese_ten: chineseTen,
  palace,
  plates,
  platinum_fish: platinumFish,
  plate_spinner: plateSpinner,
};

export function kindOf(kind: string): Kind {
  return KINDS[kind] ?? PLAIN;
}
