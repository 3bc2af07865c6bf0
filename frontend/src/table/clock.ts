/** Time as the table shows it. The server decides; here is only counted down from what it said. */

/** How many ms are left until `deadline` at the local time `at`, when the server's clock is ahead by `skew` ms. */
export function left(deadline: string | null, at: number, skew: number): number | null {
  return deadline === null ? null : Math.max(0, Date.parse(deadline) - (at + skew));
}

/** By how much the server's clock is ahead of `at`. */
export function skewOf(now: string, at: number): number {
  return Date.parse(now) - at;
}

/** "0:38", "1:05:00", "2 d 4 h". */
export function clockText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  const tail = `${String(minutes).padStart(hours ? 2 : 1, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  return hours ? `${hours}:${tail}` : tail;
}

const SPOKEN = [60, 30, 10];

/** What is said aloud when the time goes from `before` to `now` ms: at 60, 30 and 10 seconds only. */
export function spokenClock(before: number, now: number): string {
  const passed = SPOKEN.find((seconds) => before > seconds * 1000 && now <= seconds * 1000);
  return passed ? `${passed} seconds left.` : "";
}
