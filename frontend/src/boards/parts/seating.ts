/**
 * The order of the seats on the felt. The seat of the viewpoint is at the near edge; the others follow clockwise from
 * its left. A viewpoint that is not a seat uses the viewer's own seat, if the viewer played. Pure.
 */

export interface Seating {
  near: number;
  others: number[];
}

export function seatingOf(viewpoint: string, seats: number, own: number | null = null): Seating {
  const near = /^\d+$/.test(viewpoint) ? Number(viewpoint) : (own ?? 0);
  return { near, others: Array.from({ length: seats - 1 }, (_, step) => (near + 1 + step) % seats) };
}

/** Return where a seat is, as classes for the styles of its board: at the near edge, or one of how many others. */
export function placeOf({ near, others }: Seating, seat: number): string {
  return seat === near ? "near-seat" : `far-seat others-${others.length}`;
}
