/** The time as the table shows it. The server decides; the page only counts down from the server's last answer. */

import { _ } from "../gettext";
import type { Clocks, SeatClock } from "../types";

/** Return the ms until `deadline` at the local time `at`. `skew`: how many ms the server's clock is ahead. */
export function left(deadline: string | null, at: number, skew: number): number | null {
  return deadline === null ? null : Math.max(0, Date.parse(deadline) - (at + skew));
}

/** Return how many ms the server's clock is ahead of `at`. */
export function skewOf(now: string, at: number): number {
  return Date.parse(now) - at;
}

/** Return a duration: "0:38", "1:05:00", "2 d 4 h". */
export function clockText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours >= 24) return _("{days} d {hours} h", { days: Math.floor(hours / 24), hours: hours % 24 });
  const tail = `${String(minutes).padStart(hours ? 2 : 1, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  return hours ? `${hours}:${tail}` : tail;
}

const LANGUAGE = (typeof document !== "undefined" && document.documentElement.lang.replace(/^en$/, "")) || "en-GB";

/** Return a time in `zone`: "Tue 19:00". It includes the day of the month if it is at least six days away. */
export function whenText(moment: string, now: number, zone: string): string {
  const far = Date.parse(moment) - now > 6 * 86_400_000;
  const day: Intl.DateTimeFormatOptions = far ? { day: "numeric", month: "short" } : {};
  const parts = { weekday: "short", hour: "2-digit", minute: "2-digit", timeZone: zone || undefined, ...day } as const;
  return new Intl.DateTimeFormat(LANGUAGE, parts).format(new Date(moment)).replaceAll(",", "");
}

const PAUSES: Record<string, string> = {
  weekend: _("weekend"),
  vacation: _("on vacation"),
  playing_hours: _("outside the playing hours"),
  outage: _("the platform was down"),
};
const LOW_MS = { live: 15_000, correspondence: 6 * 3_600_000 };

/**
 * What a seat's clock shows. `more`: a note beside the time; `ms`: the time left, or null if it is not counting down.
 */
export interface Dial {
  text: string;
  more: string;
  low: boolean;
  ms: number | null;
}

/** Return what a clock shows at the server's time `now` in ms, or null if it shows nothing. */
export function dial(clocks: Clocks, clock: SeatClock, now: number, zone: string): Dial | null {
  if (!clocks.kind) return null;
  const live = clocks.kind === "live";
  const counts = clock.running && !clock.paused;
  const spent = counts ? Math.max(0, now - Date.parse(clocks.at)) : 0;
  const move = Math.max(0, clock.move_ms - spent);
  const bank = Math.max(0, clock.bank_ms - Math.max(0, spent - clock.move_ms));
  if (!clock.running)
    return live && bank ? { text: clockText(bank), more: _("in the bank"), low: false, ms: null } : null;
  const ms = move + bank;
  const low = counts && ms < LOW_MS[live ? "live" : "correspondence"];
  const more = [
    move && bank ? _("and {time} in the bank", { time: clockText(bank) }) : bank ? _("from the bank") : "",
    !live && clock.deadline ? _("until {time}", { time: whenText(clock.deadline, now, zone) }) : "",
    clock.paused ? _("stopped: {reason}", { reason: PAUSES[clock.paused] ?? clock.paused }) : "",
  ];
  return { text: clockText(move || bank), more: more.filter(Boolean).join(", "), low, ms: counts ? ms : null };
}

const SPOKEN = [10, 30, 60];

/** Return the announcement for a screen reader when the time falls to 60, 30 or 10 seconds; otherwise "". */
export function spokenClock(before: number, now: number): string {
  const passed = SPOKEN.find((seconds) => before > seconds * 1000 && now <= seconds * 1000);
  return passed ? _("{seconds} seconds left.", { seconds: passed }) : "";
}
