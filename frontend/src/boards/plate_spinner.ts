/** What the board of Plate Spinner draws, from an observation and what is printed on its items. No rules: only reading. */

import type { Frame, Replay } from "../types";

export interface Need {
  kind: "slots" | "same" | "run" | "sum";
  slots?: string[];
  dice?: number;
  total?: number;
}

/** What is printed on a plate or rim, its name and its motif. */
export interface Item {
  id: string;
  sort: "plate" | "rim" | "starting" | "star";
  colour: string | null;
  points: number;
  /** Player dice that come with a plate, neutral ones with a rim. */
  dice: number;
  bomb: boolean;
  needs: Need[];
  name: string;
  motif: string;
}

interface HeldObservation {
  id: string;
  rim: string | null;
  filled: (number | null)[][];
  free: number;
  colour?: string | null;
}

interface PlayerObservation {
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
}

export interface SpinnerObservation {
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
}

/** A place for a die: what may come there, and the die that lies there. */
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
  /** It came, or got its die or rim, with this event. */
  fresh: boolean;
  name: string;
}

export interface SpinnerSeat {
  seat: number;
  dice: number[];
  dieCount: number;
  neutral: number;
  rolls: number;
  spinning: boolean;
  meeple: number | null;
  turn: boolean;
  plates: SpunPlate[];
  printed: number;
  colours: Record<string, number>;
  score: number;
  /** What this event did to the seat, in a word or two. */
  note: string;
}

export interface SpinnerBoard {
  title: string;
  market: SpunPlate[];
  loose: SpunPlate[];
  /** Every meeple of the round and whether it still lies in the middle. */
  meeples: { number: number; left: boolean }[];
  left: string;
  seats: SpinnerSeat[];
}

export const COLOURS = ["red", "blue", "green", "yellow"] as const;
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six"];

export function spinnerBoard(frame: Frame, replay: Replay): SpinnerBoard {
  const seen = frame.observation as unknown as SpinnerObservation;
  const items = (replay.items ?? {}) as Record<string, Item>;
  const event = frame.event as { type: string; seat?: number; plate?: string; item?: string; plates?: string[] };
  return {
    title: titleOf(seen),
    market: seen.market.map((id) => lying(items, id)),
    loose: seen.loose.map((id) => lying(items, id)),
    meeples: Array.from({ length: seen.seats - 1 }, (_, each) => ({ number: each + 1, left: seen.meeples.includes(each + 1) })),
    left: `${seen.plates_left} plates and ${seen.rims_left} rims to come, ${seen.neutral_left} neutral dice left, ${seen.discard.length} broken or discarded`,
    seats: seen.players.map((player, seat) => ({
      seat,
      dice: [...player.dice].map(Number),
      dieCount: player.player_dice + player.neutral_dice,
      neutral: player.neutral_dice,
      rolls: player.rolls,
      spinning: player.spinning,
      meeple: player.meeple,
      turn: seen.phase === "spinning" ? player.spinning : seen.turn === seat,
      plates: player.plates.map((plate) => {
        const touched = event.seat === seat && (event.plate === plate.id || event.item === plate.id);
        return spun(items, plate, touched);
      }),
      printed: player.printed,
      colours: player.colours,
      score: player.score,
      note: event.seat === seat ? noteOf(event.type, event.plates?.length ?? 0) : "",
    })),
  };
}

function titleOf(seen: SpinnerObservation): string {
  const round = seen.last_round ? `Round ${seen.round}, the last` : `Round ${seen.round}`;
  const phases: Record<string, string> = { spinning: "spinning", drafting: "drafting", attaching: "a rim finds its plate", colouring: "the star plate gets its colour" };
  return phases[seen.phase] ? `${round}: ${phases[seen.phase]}` : round;
}

function noteOf(type: string, broken: number): string {
  if (type === "broke") return broken === 1 ? "one plate broke" : `${broken} plates broke`;
  return { grabbed: "grabbed", rolled: "rolled", drafted: "drafted", discarded: "a rim discarded" }[type] ?? "";
}

/** An item in the market, where no die lies on it. */
function lying(items: Record<string, Item>, id: string): SpunPlate {
  const item = items[id];
  const filled = item ? item.needs.map((need) => (need.slots ? need.slots.map(() => null) : [])) : [];
  return spun(items, { id, rim: null, filled, free: -1 }, false);
}

function spun(items: Record<string, Item>, plate: HeldObservation, fresh: boolean): SpunPlate {
  const item = items[plate.id] ?? unknown(plate.id);
  const rim = plate.rim ? (items[plate.rim] ?? unknown(plate.rim)) : null;
  const all = [...item.needs, ...(rim?.needs ?? [])].map((need, each) => groupOf(need, plate.filled[each] ?? []));
  const places = all.flatMap((group) => group.places);
  const inPlace = places.filter((place) => place.die !== null).length;
  return {
    item,
    rim,
    colour: plate.colour ?? item.colour ?? "plain",
    groups: all.slice(0, item.needs.length),
    rimGroups: all.slice(item.needs.length),
    inPlace,
    needed: places.length,
    done: inPlace === places.length,
    fresh,
    name: nameOf(item, rim, inPlace, plate.free < 0 ? null : places.length),
  };
}

function unknown(id: string): Item {
  return { id, sort: "plate", colour: null, points: 0, dice: 0, bomb: false, needs: [], name: id, motif: "plain" };
}

/** The places of a group. In a group of slots the dice lie by slot; else they lie from the left. */
export function groupOf(need: Need, dice: readonly (number | null)[]): GroupOfPlaces {
  if (need.slots) return { label: "", places: need.slots.map((slot, at) => ({ sign: signOf(slot), die: dice[at] ?? null })) };
  const places = Array.from({ length: need.dice ?? 0 }, (_, at) => ({ sign: "", die: dice[at] ?? null }));
  const labels = { same: "the same", run: "in a run", sum: `sum ${need.total}+`, slots: "" };
  return { label: labels[need.kind], places };
}

/** "≥4", "odd", "5", "any". */
export function signOf(slot: string): string {
  if (slot.startsWith("=")) return slot.slice(1);
  return slot.replace(">=", "≥").replace("<=", "≤");
}

/** What a need asks for, in words. */
export function needText(need: Need): string {
  if (need.slots) return need.slots.map(slotText).join(", ");
  const dice = `${NUMBERS[need.dice ?? 0]} dice`;
  if (need.kind === "same") return `${dice} the same`;
  return need.kind === "run" ? `${dice} in a run` : `${dice} that total ${need.total} or more`;
}

function slotText(slot: string): string {
  if (slot.startsWith("=")) return `a ${slot.slice(1)}`;
  if (slot.startsWith(">")) return `at least ${slot.slice(2)}`;
  if (slot.startsWith("<")) return `at most ${slot.slice(2)}`;
  return { odd: "an odd die", even: "an even die", any: "any die" }[slot] ?? slot;
}

/** "Poppy: red, 2 points, brings 1 die, bomb; wants two dice the same; with the rim Ivy: green, 2 points; 1 of 3 dice in". */
export function nameOf(item: Item, rim: Item | null, inPlace: number, needed: number | null): string {
  const wants = item.needs.length ? `; wants ${item.needs.map(needText).join(" and ")}` : "";
  const under = rim ? `; with the rim ${printed(rim)}; which wants ${rim.needs.map(needText).join(" and ")}` : "";
  const state = needed === null ? "" : inPlace === needed ? "; filled" : `; ${inPlace} of ${needed} dice in`;
  return `${printed(item)}${wants}${under}${state}`;
}

function printed(item: Item): string {
  const parts = [item.sort === "starting" ? "starting plate, cannot break" : `${item.colour ?? "no colour"}${item.sort === "rim" ? " rim" : ""}`];
  if (item.points) parts.push(item.points === 1 ? "1 point" : `${item.points} points`);
  if (item.dice) parts.push(item.sort === "rim" ? "brings a neutral die" : item.dice === 1 ? "brings 1 die" : `brings ${item.dice} dice`);
  if (item.bomb) parts.push("bomb");
  return `${item.name}: ${parts.join(", ")}`;
}
