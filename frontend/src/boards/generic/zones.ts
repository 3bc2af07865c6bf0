/**
 * Reads the zones of a table: groups of cards, dice or words under a title. A kind may list its zones
 * (`Presentation.zones`). Otherwise they come from the names and values of its observation. Pure.
 */

import { cardName, JOKER } from "../../cards";
import { _, listed, ngettext } from "../../gettext";
import type { Frame, Observation, TableZone } from "../../types";

/** The text of a hidden card in an observation. */
const FACE_DOWN = "??";
const CARD = /^(?:[A23456789TJQK][SHDC]|\*\*|\?\?)$/;
/** Fields that are not part of the position, or that the board shows elsewhere. */
const OF_EVERY_GAME = new Set(
  "seat version turn to_act left taken_over outcome beat ready options scores by_seat".split(" "),
);
/** Fields that name the seat with a role. The zone is shown at that seat. */
const ROLE = /^(?:dealer|leader|lead|declarer|bidder|starter|winner|last_winner)$/;
const HAND = /^(?:hands?|hold(?:ing)?s?|cards_in_hand)(?:_counts?|_sizes?)?$/;
const PILE = /(?:^|_)(?:deck|stock|talon|stack|pile|piles|discard|discards|won|taken|captured)(?:_|$)/;
/** Lists with one entry for each seat. Their fields do not show the list's title. */
const SEATS = /^(?:seats|players)$/;
const DICE = /(?:^|_)(?:dice|die|rolled)(?:_|$)/;

type Zones = TableZone[];
type Json = unknown;

export const isCard = (value: Json): value is string => typeof value === "string" && CARD.test(value);
const isRecord = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const faceOf = (card: Json): string | null => (card === null || card === FACE_DOWN ? null : (card as string));

/** Return "Turn limit" for `turn_limit`. A count has the name of the thing that it counts. */
export function labelOf(name: string): string {
  if (HAND.test(name)) return _("Hand");
  const words = name.replace(/(?:_counts?|_sizes?)$/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const made = new WeakMap<Frame, Zones>();

/** Return the zones of a frame. */
export function zonesOf(frame: Frame, seats: number): Zones {
  const known = frame.zones ?? made.get(frame);
  if (known) return known;
  const zones = readZones(frame.observation, seats);
  made.set(frame, zones);
  return zones;
}

export function readZones(seen: Observation, seats: number): Zones {
  const own = typeof seen.seat === "number" ? seen.seat : null;
  const zones = Object.entries(seen)
    .filter(([key]) => !OF_EVERY_GAME.has(key))
    .flatMap(([key, value]) => zoneOf(key, value, key === "hand" ? own : null, seats));
  return withoutCounts([...zones, ...ofEachSeat(seen, seats)]);
}

/** With the observations of all seats (`by_seat`): return the zones that a seat sees and the public does not. */
function ofEachSeat(seen: Observation, seats: number): Zones {
  if (!Array.isArray(seen.by_seat)) return [];
  return seen.by_seat.flatMap((own: Json, seat) =>
    isRecord(own)
      ? Object.entries(own)
          .filter(([key, value]) => !OF_EVERY_GAME.has(key) && JSON.stringify(value) !== JSON.stringify(seen[key]))
          .flatMap(([key, value]) => zoneOf(key, value, seat, seats))
      : [],
  );
}

/** Leave out the number of cards of each hand that is visible. */
function withoutCounts(zones: Zones): Zones {
  const open = new Set(
    zones.filter(({ sort, items }) => sort === "hand" && items.some(Boolean)).map(({ seat }) => seat),
  );
  return zones.filter(({ sort, items, seat }) => sort !== "hand" || items.some(Boolean) || !open.has(seat));
}

function zoneOf(key: string, value: Json, seat: number | null, seats: number, title = labelOf(key)): Zones {
  const zone = (sort: TableZone["sort"], items: (string | null)[], count = items.length): Zones =>
    items.length || count ? [{ title, sort, items, seat, count }] : [];
  if (value === null || value === undefined || value === "") return [];
  if (typeof value === "boolean") return zone("words", [value ? _("yes") : _("no")]);
  if (typeof value === "number") {
    if (seat === null && ROLE.test(key) && value < seats)
      return [{ title: "", sort: "words", items: [title], seat: value, count: 1 }];
    if (key === "seats" && value === seats) return [];
    if (HAND.test(key)) return zone("hand", new Array<null>(value).fill(null));
    return PILE.test(key) ? zone("pile", [], value) : zone("words", [String(value)]);
  }
  if (isCard(value)) return zone("cards", [faceOf(value)]);
  if (typeof value === "string")
    return DICE.test(key) && /^[1-6]+$/.test(value) ? zone("dice", [...value]) : zone("words", [value]);
  if (Array.isArray(value)) return listOf(key, value as Json[], seat, seats, title);
  return Object.entries(value).flatMap(([name, each]) => {
    const place = seat === null && /^\d+$/.test(name) && Number(name) < seats ? Number(name) : null;
    if (place !== null) return zoneOf(key, each, place, seats, title);
    return zoneOf(name, each, seat, seats);
  });
}

function listOf(key: string, list: Json[], seat: number | null, seats: number, title: string): Zones {
  const zone = (sort: TableZone["sort"], items: (string | null)[]): Zones =>
    items.length ? [{ title, sort, items, seat, count: items.length }] : [];
  if (list.every((each) => each === null || each === "" || (Array.isArray(each) && !each.length))) return [];
  const cards = list.some(isCard) && list.every((each) => each === null || isCard(each));
  const whole = cards && !list.includes(null);
  if (whole || (cards && seat !== null)) {
    if (HAND.test(key)) return zone("hand", list.map(faceOf));
    return zone(PILE.test(key) ? "pile" : "cards", list.map(faceOf));
  }
  if (DICE.test(key) && list.every((each) => Number.isInteger(each))) return zone("dice", list.map(String));
  const named = list.map((each) => seatNamed(each, seats));
  const bySeat = seat === null && !named.includes(null) && new Set(named).size === named.length;
  if (!bySeat && seat === null && list.length === seats && !list.every((each) => typeof each === "string"))
    return list.flatMap((each, place) => zoneOf(key, each, place, seats, title));
  if (cards) return zone("cards", list.map(faceOf));
  if (list.every((each) => !Array.isArray(each) && !isRecord(each)))
    return zone(
      "words",
      list.map((each) => (each === null || each === "" ? "–" : String(each))),
    );
  const prefix = SEATS.test(key) ? "" : title;
  return list.flatMap((each, place) =>
    entryOf(key, each, seat, seats, bySeat ? prefix : `${title} ${place + 1}`, title),
  );
}

/** Return the seat that a list's entry names: in a field, or as the first of a pair with a card. Null for none. */
function seatNamed(entry: Json, seats: number): number | null {
  const pair = Array.isArray(entry) && entry.length === 2 && isCard(entry[1]);
  const named = isRecord(entry) ? [entry.seat, entry.player] : pair ? [(entry as Json[])[0]] : [];
  return (
    named.find((each): each is number => Number.isInteger(each) && Number(each) >= 0 && Number(each) < seats) ?? null
  );
}

/**
 * Return the zones of a list's entry that has fields or cards. If it names a seat, they belong to that seat. If all its
 * fields are words, they form one zone.
 */
function entryOf(key: string, entry: Json, seat: number | null, seats: number, prefix: string, title: string): Zones {
  if (!isRecord(entry)) {
    const [first, ...rest] = Array.isArray(entry) ? (entry as Json[]) : [];
    const pair = seat === null && rest.length === 1 && Number.isInteger(first) && (first as number) < seats;
    return pair ? zoneOf(key, rest[0], first as number, seats, title) : zoneOf(key, entry, seat, seats, prefix);
  }
  const own = seatNamed(entry, seats) ?? seat;
  const fields = Object.entries(entry).filter(([name]) => name !== "seat" && name !== "player");
  if (fields.length === 1) return fields.flatMap(([name, value]) => zoneOf(name, value, own, seats, title));
  const zones = fields.flatMap(([name, value]) => zoneOf(name, value, own, seats));
  if (prefix && zones.length > 1 && zones.every((zone) => zone.sort === "words" && zone.seat === own)) {
    const items = zones.map((zone) => [zone.title, ...zone.items].filter(Boolean).join(" "));
    return [{ title: prefix, sort: "words", items, seat: own, count: items.length }];
  }
  return zones.map((zone) => ({ ...zone, title: [prefix, zone.title].filter(Boolean).join(": ") }));
}

/**
 * Split the zones into those to show and the rest, with room for `most`. A zone that may be needed now is shown. A
 * single zone is never folded away.
 */
export function folded(zones: Zones, most: number, needed: (zone: TableZone) => boolean): [Zones, Zones] {
  const rest = zones.filter((zone, place) => place >= most && !needed(zone));
  return rest.length > 1 ? [zones.filter((zone) => !rest.includes(zone)), rest] : [zones, []];
}

/** Return the score beside a player's name, or undefined. */
export function scoreOf({ scores }: Observation, seat: number): number | undefined {
  const score: Json = Array.isArray(scores) ? (scores as Json[])[seat] : undefined;
  return typeof score === "number" ? score : undefined;
}

/** Return the contents of a zone for a screen reader. */
export function wordsOf({ sort, items, count }: TableZone): string {
  if (sort === "words" || sort === "dice") return items.join(", ");
  const open = items.filter((item) => item !== null);
  const shown = sort === "pile" ? open.slice(-1) : open;
  const hidden = sort === "pile" ? 0 : count - open.length;
  return listed([
    ...(sort === "pile" ? [ngettext("{count} card", "{count} cards", count)] : []),
    ...(sort === "pile" && shown.length ? [_("{card} on top", { card: shown.map(named).join() })] : []),
    ...(sort === "pile" ? [] : shown.map(named)),
    ...(hidden > 0 ? [ngettext("{count} card face down", "{count} cards face down", hidden)] : []),
  ]);
}

/** Return a zone with its title for a screen reader. */
export function spoken(zone: TableZone): string {
  return zone.title ? `${zone.title}: ${wordsOf(zone)}` : wordsOf(zone);
}

/** Return a card's name. Another text is returned unchanged. */
export function named(card: string): string {
  return isCard(card) || card === JOKER ? cardName(card) : card;
}
