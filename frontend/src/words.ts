/** Sentences: the server's parts as plain text, and short texts of the viewer. */

import { cardName } from "./cards";
import { _ } from "./gettext";
import type { Observation, Part, Seat } from "./types";

export function nameOf(seats: readonly Seat[], seat: number): string {
  return seats[seat]?.name ?? _("Seat {number}", { number: seat + 1 });
}

/** Return the badge of a bot: one whose moves a language model chooses is an agent. */
export const botWord = ({ agent }: Pick<Seat, "agent">): string => (agent ? _("AGENT") : _("BOT"));

/** Return a sentence for a screen reader. */
export function spoken(parts: readonly Part[], seats: readonly Seat[]): string {
  return parts
    .map((part) => (typeof part === "string" ? part : "seat" in part ? nameOf(seats, part.seat) : cardName(part.card)))
    .join("");
}

export function viewpointText(viewpoint: string, seats: readonly Seat[]): string {
  if (viewpoint === "public") return _("Public");
  if (viewpoint === "all") return _("All cards");
  return nameOf(seats, Number(viewpoint));
}

/** Return a duration: "8.5 s", "12 min 5 s", "3 h 12 min". */
export function span(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return _("{seconds} s", { seconds: seconds.toFixed(1) });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return _("{minutes} min {seconds} s", { minutes, seconds: Math.floor(seconds % 60) });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return _("{hours} h {minutes} min", { hours, minutes: minutes % 60 });
  return _("{days} d {hours} h", { days: Math.floor(hours / 24), hours: hours % 24 });
}

/** Return the seats that everybody knows are to act. */
export function actors({ to_act, turn }: Observation): number[] {
  if (Array.isArray(to_act)) return to_act as number[];
  return typeof turn === "number" ? [turn] : [];
}
