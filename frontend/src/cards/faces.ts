/** The drawing of a card, 90 by 126, made of paths only: ranks, pips, courts. It uses no font. */

export const SUIT_PATHS: Record<string, string> = {
  S:
    "M12 1.6C9.6 6.6 2.9 10.3 2.9 15.3a4.7 4.7 0 0 0 8.1 3.2c-.2 1.9-.9 3.1-2.3 4.2h6.6c-1.4-1.1-2.1-2.3-2.3-4.2" +
    "a4.7 4.7 0 0 0 8.1-3.2C21.1 10.3 14.4 6.6 12 1.6z",
  H: "M12 22C5.2 16.2 2.2 12.6 2.2 8.4A5.3 5.3 0 0 1 12 5.4 5.3 5.3 0 0 1 21.8 8.4C21.8 12.6 18.8 16.2 12 22z",
  D: "M12 1.4C13.9 5.6 17 9.5 20.4 12 17 14.5 13.9 18.4 12 22.6 10.1 18.4 7 14.5 3.6 12 7 9.5 10.1 5.6 12 1.4z",
  C:
    "M12 1.9a4.8 4.8 0 0 1 3.8 7.7 4.8 4.8 0 1 1-2.7 8.6c.2 2 .9 3.3 2.3 4.5H8.6c1.4-1.2 2.1-2.5 2.3-4.5" +
    "a4.8 4.8 0 1 1-2.7-8.6A4.8 4.8 0 0 1 12 1.9z",
};

export const RANK_PATHS: Record<string, string> = {
  A: "M3 29 12 3.5 21 29M6.6 20.5H17.4",
  "2": "M4.5 10C4.5 5.5 8 3 12 3s7.5 2.8 7.5 7C19.5 16 9 20.5 4.5 29H20",
  "3": "M5 3.5H19L11 13.2c5.5-.2 9 3.1 9 7.6C20 25.8 16.5 29 11.8 29 8 29 5.2 27.2 4 24.2",
  "4": "M15.8 29V3.5L3 21.5H21.5",
  "5": "M18.5 3.5H7L5.8 14.5c1.7-1.3 3.8-1.9 6-1.9 4.8 0 8.2 3.4 8.2 8.1 0 4.9-3.4 8.3-8.4 8.3-3.6 0-6.4-1.6-7.6-4.4",
  "6": "M17 3.5C10.5 6.5 4.5 13 4.5 20.5c0 5.1 3.3 8.5 7.7 8.5s7.8-3.4 7.8-8.1-3.4-7.9-7.8-7.9c-3.6 0-6.6 2.4-7.5 5.8",
  "7": "M4 3.5H20C15 11 11.5 19 10 29",
  "8":
    "M12 14.6c-3.8 0-6.4-2.4-6.4-5.8S8.2 3 12 3s6.4 2.4 6.4 5.8-2.6 5.8-6.4 5.8c-4.6 0-7.8 2.8-7.8 7.2" +
    "S7.4 29 12 29s7.8-2.8 7.8-7.2-3.2-7.2-7.8-7.2z",
  "9": "M7 28.5C13.5 25.5 19.5 19 19.5 11.5 19.5 6.4 16.2 3 11.8 3S4 6.4 4 11.1 7.4 19 11.8 19c3.6 0 6.6-2.4 7.5-5.8",
  T: "M2.5 7.8 6.5 3.8V29M16.6 3c-3.6 0-5.3 5.5-5.3 13s1.7 13 5.3 13 5.3-5.5 5.3-13S20.2 3 16.6 3z",
  J: "M9 3.5h9M15 3.5V22c0 4.3-2.3 7-5.7 7-3 0-5-1.8-5.7-4.8",
  Q: "M12 3C7 3 3.5 8.5 3.5 16S7 29 12 29s8.5-5.5 8.5-13S17 3 12 3zM13.2 22.2 21 30",
  K: "M5 3.5V29M20 3.5 5 19M10.4 13.8 20.5 29",
};

/** The headwear of the courts: cap, coronet, crown. Strokes in a field of 32 by 26. */
export const COURT_PATHS: Record<string, string> = {
  J:
    "M4 21C4 14 9 10.5 15.5 10.5S28 14 28 21zM3.3 24.5h25.4M19 11C19.5 5 24 1.5 30.5 1.2 30 7.5 26 11.5 21 12.5" +
    "M20 12C23 9 26 6 30.5 1.2",
  Q:
    "M4 21C4.5 15 3.5 11 2 8.2 6 9.5 8.5 11.5 9.5 14 11 10.5 13.5 8 16 5.5 18.5 8 21 10.5 22.5 14 23.5 11.5 26 9.5" +
    " 30 8.2 28.5 11 27.5 15 28 21zM4.3 24.5h23.4M.4 6a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0M14.2 3" +
    "a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 1 0-3.6 0M28.4 6a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0",
  K:
    "M3 21 1.5 8l7 5.5L16 4l7.5 9.5 7-5.5L29 21zM3.3 24.5h25.4M16 .2v4M14 2.2h4M14.5 16.5" +
    "a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0",
};

export interface Pip {
  x: number;
  y: number;
  /** Upside down, in the lower half. */
  turned: boolean;
}

const SIDES = [37, 53];
const ROWS: Record<number, number[]> = { 1: [63], 2: [25, 101], 3: [25, 63, 101], 4: [25, 50.3, 75.7, 101] };

/** The layout of the pips from 2 to 10: pips on each side, and the y of the pips in the middle. */
const LAYOUT: Record<string, { sides: number; middle: number[] }> = {
  "2": { sides: 0, middle: [25, 101] },
  "3": { sides: 0, middle: [25, 63, 101] },
  "4": { sides: 2, middle: [] },
  "5": { sides: 2, middle: [63] },
  "6": { sides: 3, middle: [] },
  "7": { sides: 3, middle: [44] },
  "8": { sides: 3, middle: [44, 82] },
  "9": { sides: 4, middle: [63] },
  T: { sides: 4, middle: [37.7, 88.3] },
};

/** Return the pips of a rank; an empty list for an ace, a court or a joker. */
export function pipsOf(rank: string): Pip[] {
  const layout = LAYOUT[rank];
  if (!layout) return [];
  const places = (layout.sides ? (ROWS[layout.sides] ?? []) : []).flatMap((y) => SIDES.map((x) => ({ x, y })));
  const middle = layout.middle.map((y) => ({ x: 45, y }));
  return [...places, ...middle].map(({ x, y }) => ({ x, y, turned: y > 63 }));
}

/** Return the size of a pip. */
export function pipSize(rank: string): number {
  return rank === "9" || rank === "T" ? 13.5 : 15;
}

/** The lattice on the back of a card: two sets of slanting lines. */
export const LATTICE = [-92, -76, -60, -44, -28, -12, 4, 20, 36, 52, 68, 84, 100]
  .map((y) => `M-20 ${y} 110 ${y + 130}M110 ${y}-20 ${y + 130}`)
  .join("");

/** The pinwheel of the joker: the angles of its four blades. */
export const PINWHEEL = [0, 90, 180, 270];
