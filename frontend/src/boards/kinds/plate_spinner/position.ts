/** Reads what the board of Plate Spinner draws, from an observation and the print of its items. It knows no rules. */

import { _, listed, ngettext } from "../../../gettext";
import type { Frame, Replay } from "../../../types";
import { idsOf, slim } from "./slim";

export interface Need {
  kind: "slots" | "same" | "run" | "sum";
  slots?: string[];
  dice?: number;
  total?: number;
}

/** The print of a plate or rim, with its name and motif. */
export interface Item {
  id: string;
  sort: "plate" | "rim" | "starting" | "star";
  colour: string | null;
  points: number;
  /** Player dice that come with a plate, or neutral dice that come with a rim. */
  dice: number;
  bomb: boolean;
  needs: Need[];
  name: string;
  motif: string;
}

type HeldObservation = {
  id: string;
  rim: string | null;
  filled: (number | null)[][];
  free: number;
  colour?: string | null;
};

type PlayerObservation = {
  dice: string;
  player_dice: number;
  neutral_dice: number;
  rolls: number;
  spinning: boolean;
  meeple: number | null;
  plates: HeldObservation[];
  printed: number;
  colours: Record<string, number>;
  score: number;
};

export type SpinnerObservation = {
  seats: number;
  phase: string;
  round: number;
  last_round: boolean;
  to_act: number[];
  turn: number | null;
  meeples: number[];
  market: string[];
  loose: string[];
  plates_left: number;
  rims_left: number;
  neutral_left: number;
  discard: string[];
  players: PlayerObservation[];
};

/** A place for a die: which dice fit, and the die that is there. */
export interface Place {
  sign: string;
  die: number | null;
}

export interface GroupOfPlaces {
  label: string;
  places: Place[];
}

export interface SpunPlate {
  item: Item;
  rim: Item | null;
  colour: string;
  groups: GroupOfPlaces[];
  rimGroups: GroupOfPlaces[];
  inPlace: number;
  needed: number;
  done: boolean;
  /** The plate is new, or got a die or a rim, with this event. */
  fresh: boolean;
  name: string;
}

export interface SpinnerSeat {
  seat: number;
  dice: number[];
  dieCount: number;
  rolls: number;
  /** The event that rolled its dice, and what they show then; undefined after another event. */
  rolled: string | undefined;
  spinning: boolean;
  meeple: number | null;
  turn: boolean;
  /** Its plates, then rims that it has taken and that have no plate yet. */
  plates: SpunPlate[];
  printed: number;
  colours: Record<string, number>;
  score: number;
  /** What this event did to the seat, in a word or two. */
  note: string;
}

export interface SpinnerBoard {
  title: string;
  spinning: boolean;
  /** The number of things that can be drafted. */
  things: number;
  /** The market by the places in which it was laid out; null where something is gone. */
  stall: (SpunPlate | null)[];
  /** All meeples of the round. `left`: it is still in the middle. */
  meeples: { number: number; left: boolean }[];
  left: string;
  /** The number of plates and rims that are still to come, and of those that are out of the game. */
  supply: number;
  broken: number;
  seats: SpinnerSeat[];
}

export const COLOURS = ["red", "blue", "green", "yellow"] as const;
export const COLOUR_WORDS: Record<string, string> = {
  red: _("red"),
  blue: _("blue"),
  green: _("green"),
  yellow: _("yellow"),
};

export function spinnerBoard(frame: Frame, replay: Pick<Replay, "items" | "frames">): SpinnerBoard {
  const seen = slim(frame.observation) as SpinnerObservation;
  const items = replay.items as Record<string, Item>;
  const event = frame.event as { type: string; seat?: number; plate?: string; item?: string; plates?: string[] };
  return {
    title: titleOf(seen),
    things: seen.market.length,
    stall: stallOf(seen, frame.version, replay.frames).map((id) => (id === null ? null : lying(items, id, false))),
    meeples: Array.from({ length: seen.seats - 1 }, (_, each) => ({
      number: each + 1,
      left: seen.meeples.includes(each + 1),
    })),
    left: leftText(seen),
    supply: seen.plates_left + seen.rims_left,
    broken: seen.discard.length,
    spinning: seen.phase === "spinning",
    seats: seen.players.map((player, seat) => ({
      seat,
      dice: [...player.dice].map(Number),
      dieCount: player.player_dice + player.neutral_dice,
      rolls: player.rolls,
      rolled: rolledBy(frame, seat),
      spinning: player.spinning,
      meeple: player.meeple,
      turn: seen.phase === "spinning" ? player.spinning : seen.turn === seat,
      plates: [
        ...player.plates.map((plate) => {
          const touched = event.seat === seat && (event.plate === plate.id || event.item === plate.id);
          return spun(items, plate, touched);
        }),
        ...(seen.turn === seat ? seen.loose : []).map((id) => lying(items, id, event.item === id)),
      ],
      printed: player.printed,
      colours: player.colours,
      score: player.score,
      note: event.seat === seat ? noteOf(event.type, event.plates?.length ?? 0) : "",
    })),
  };
}

/**
 * Return the market by its places. Things are laid out once a round, and what is taken leaves its
 * place empty (null), so that the others do not move.
 */
function stallOf({ market }: SpinnerObservation, version: number, frames: readonly Frame[]): (string | null)[] {
  let laid = market;
  for (let at = frames.findIndex((frame) => frame.version === version) - 1; market.length && at >= 0; at--) {
    const before = idsOf((frames[at] as Frame).observation.market);
    if (!laid.every((id) => before.includes(id))) break;
    laid = before;
  }
  return laid.map((id) => (market.includes(id) ? id : null));
}

/** Return the event and the dice that a seat just rolled: "12:356". */
export function rolledBy({ version, event }: Frame, seat: number): string | undefined {
  const { type, seat: by, shown } = event as { type: string; seat?: number; shown?: string };
  return type === "rolled" && by === seat ? `${version}:${shown}` : undefined;
}

/** Return a sentence about the plates, rims and dice that are left. */
function leftText(seen: SpinnerObservation): string {
  return [
    ngettext("{count} plate to come", "{count} plates to come", seen.plates_left),
    ngettext("{count} rim", "{count} rims", seen.rims_left),
    ngettext("{count} neutral die left", "{count} neutral dice left", seen.neutral_left),
  ].join(", ");
}

function titleOf(seen: SpinnerObservation): string {
  const round = seen.last_round
    ? _("Round {number}, the last", { number: seen.round })
    : _("Round {number}", { number: seen.round });
  const phases: Record<string, string> = {
    spinning: _("spinning"),
    drafting: _("drafting"),
    attaching: _("a rim is placed"),
    colouring: _("the star plate gets its colour"),
  };
  return phases[seen.phase] ? `${round}: ${phases[seen.phase]}` : round;
}

function noteOf(type: string, broken: number): string {
  if (type === "broke") return ngettext("{count} plate broke", "{count} plates broke", broken);
  return (
    { grabbed: _("grabbed"), rolled: _("rolled"), drafted: _("drafted"), discarded: _("a rim discarded") }[type] ?? ""
  );
}

/** Return an item that has no dice on it: of the market, or a rim without a plate. `fresh`: it was taken just now. */
function lying(items: Record<string, Item>, id: string, fresh: boolean): SpunPlate {
  const item = items[id];
  const filled = item ? item.needs.map((need) => (need.slots ? need.slots.map(() => null) : [])) : [];
  return spun(items, { id, rim: null, filled, free: -1 }, fresh);
}

function spun(items: Record<string, Item>, plate: HeldObservation, fresh: boolean): SpunPlate {
  const item = items[plate.id] ?? unknown(plate.id);
  const rim = plate.rim ? (items[plate.rim] ?? unknown(plate.rim)) : null;
  const all = [...item.needs, ...(rim?.needs ?? [])].map((need, each) => groupOf(need, plate.filled[each] ?? []));
  const places = all.flatMap((group) => group.places);
  const inPlace = places.filter((place) => place.die !== null).length;
  const lies = plate.free < 0;
  return {
    item,
    rim,
    colour: plate.colour ?? item.colour ?? "plain",
    groups: all.slice(0, item.needs.length),
    rimGroups: all.slice(item.needs.length),
    inPlace,
    needed: places.length,
    done: places.length > 0 && inPlace === places.length,
    fresh,
    name: nameOf(plate.colour ? { ...item, colour: plate.colour } : item, rim, inPlace, lies ? 0 : places.length),
  };
}

function unknown(id: string): Item {
  return { id, sort: "plate", colour: null, points: 0, dice: 0, bomb: false, needs: [], name: id, motif: "plain" };
}

/** Return the places of a group. Dice lie in their slots; without slots they lie from the left. */
export function groupOf(need: Need, dice: readonly (number | null)[]): GroupOfPlaces {
  if (need.slots)
    return { label: "", places: need.slots.map((slot, at) => ({ sign: signOf(slot), die: dice[at] ?? null })) };
  const places = Array.from({ length: need.dice ?? 0 }, (_, at) => ({ sign: "", die: dice[at] ?? null }));
  const labels = {
    same: _("the same"),
    run: _("in a run"),
    sum: _("sum {total}+", { total: need.total ?? 0 }),
    slots: "",
  };
  return { label: labels[need.kind], places };
}

/** Return the text of a slot: "≥4", "odd", "5", "any". */
export function signOf(slot: string): string {
  const word = { odd: _("odd"), even: _("even"), any: _("any") }[slot];
  if (word) return word;
  if (slot.startsWith("=")) return slot.slice(1);
  return slot.replace(">=", "≥").replace("<=", "≤");
}

/** Return a need in words. */
export function needText(need: Need): string {
  if (need.slots) return need.slots.map(slotText).join(", ");
  const count = need.dice ?? 0;
  if (need.kind === "same") return _("{count} equal dice", { count });
  return need.kind === "run"
    ? _("{count} dice in a run", { count })
    : _("{count} dice that total {total} or more", { count, total: need.total ?? 0 });
}

function slotText(slot: string): string {
  if (slot.startsWith("=")) return _("a {die}", { die: slot.slice(1) });
  if (slot.startsWith(">")) return _("at least {die}", { die: slot.slice(2) });
  if (slot.startsWith("<")) return _("at most {die}", { die: slot.slice(2) });
  return { odd: _("an odd die"), even: _("an even die"), any: _("any die") }[slot] ?? slot;
}

/**
 * Return a plate in words: "Poppy: red, 2 points, brings 1 die, bomb; wants two dice the same; with the rim Ivy: green,
 * 2 points; 1 of 3 dice in".
 */
export function nameOf(item: Item, rim: Item | null, inPlace: number, needed: number): string {
  const needsOf = (of: Item): string => listed(of.needs.map(needText));
  const words = [printed(item), item.needs.length ? _("needs {needs}", { needs: needsOf(item) }) : ""];
  if (rim)
    words.push(_("with the rim {rim}", { rim: printed(rim) }), _("the rim needs {needs}", { needs: needsOf(rim) }));
  if (needed > 0)
    words.push(
      inPlace === needed
        ? _("filled")
        : ngettext("{filled} of {count} die placed", "{filled} of {count} dice placed", needed, { filled: inPlace }),
    );
  return words.filter(Boolean).join("; ");
}

function printed(item: Item): string {
  const colour = COLOUR_WORDS[item.colour ?? ""] ?? _("no colour");
  const parts = [
    item.sort === "starting"
      ? _("starting plate, cannot break")
      : item.sort === "rim"
        ? _("{colour} rim", { colour })
        : colour,
  ];
  if (item.points) parts.push(ngettext("{count} point", "{count} points", item.points));
  if (item.dice)
    parts.push(
      item.sort === "rim"
        ? _("brings a neutral die")
        : ngettext("brings {count} die", "brings {count} dice", item.dice),
    );
  if (item.bomb) parts.push(_("bomb"));
  return `${item.name}: ${parts.join(", ")}`;
}
