/** The badges of the seats. Each has its own shape, so that colour is never the only difference. */

export const SEAT_PATHS: string[] = [
  "M14 1a13 13 0 1 1 0 26 13 13 0 1 1 0-26z",
  "M6 2h16a4 4 0 0 1 4 4v16a4 4 0 0 1-4 4H6a4 4 0 0 1-4-4V6a4 4 0 0 1 4-4z",
  "M14 .8 27.2 14 14 27.2.8 14z",
  "M7.6 2.6h12.8L27 14l-6.6 11.4H7.6L1 14z",
  "M14 .6 27.6 25.6H.4z",
  "M14 .8 27 10.4 22.1 26.2H5.9L1 10.4z",
  "M8.6 1h10.8L27 8.6v10.8L19.4 27H8.6L1 19.4V8.6z",
  "M2.5 2h23v13C25.5 21.5 20 25.5 14 27.5 8 25.5 2.5 21.5 2.5 15z",
];

/** The dashes of each seat's line on the scrubber. */
export const SEAT_DASHES: string[] = ["", "7 4", "2 4", "10 3 2 3", "4 2", "12 5", "1 3", "6 2 2 2"];

/** Return the letter on a badge. */
export function initialOf(name: string): string {
  return (name.trim()[0] ?? "?").toUpperCase();
}
