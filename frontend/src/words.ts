/** Sentences: the server's parts in plain text, and small phrases of our own. */

import { cardName } from "./cards";
import type { Frame, Part, Replay, Seat } from "./types";

export function nameOf(seats: readonly Seat[], seat: number): string {
  return seats[seat]?.name ?? `Seat ${seat + 1}`;
}

/** A sentence as a screen reader should hear it. */
export function spoken(parts: readonly Part[], seats: readonly Seat[]): string {
  return parts
    .map((part) => (typeof part === "string" ? part : "seat" in part ? nameOf(seats, part.seat) : cardName(part.card)))
    .join("");
}

/** "Idris 120, Nora 105". */
export function scoreLine(scores: readonly number[], seats: readonly Seat[]): string {
  return scores.map((score, seat) => `${nameOf(seats, seat)} ${score}`).join(", ");
}

/** What the scrubber's handle says of a place in the game. */
export function placeText(replay: Replay, at: number): string {
  const frame = replay.frames[at];
  if (!frame) return "";
  const scores = scoreLine(replay.scores[at] ?? [], replay.game.seats);
  return `Event ${frame.version} of ${replay.version}: ${spoken(frame.parts, replay.game.seats)} ${replay.ground.title}: ${scores}`;
}

export function eyesText(eyes: string, seats: readonly Seat[]): string {
  if (eyes === "public") return "Public";
  if (eyes === "all") return "All cards";
  return nameOf(seats, Number(eyes));
}

/** How long into the game a frame was. */
export function elapsed(frame: Frame): string {
  return span(frame.ms);
}

/** A length of time, shorter where it is short: "8.5 s", "12 min 5 s", "3 h 12 min". */
export function span(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
