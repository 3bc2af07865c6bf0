/**
 * Who sits where on the felt: the eyes' own seat at the near edge, the others clockwise from its left. Eyes that are
 * no seat's look from the seat of whoever looks, where they played themselves. Pure.
 */

export interface Seating {
  near: number;
  others: number[];
}

export function seatingOf(eyes: string, seats: number, own: number | null = null): Seating {
  const near = /^\d+$/.test(eyes) ? Number(eyes) : (own ?? 0);
  return { near, others: Array.from({ length: seats - 1 }, (_, step) => (near + 1 + step) % seats) };
}
