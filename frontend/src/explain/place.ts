/** Where a tip stands: beside its thing, over as little of other things as possible. Pure. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

type Point = Pick<Box, "x" | "y">;
type Size = Pick<Box, "width" | "height">;

/** Between a tip and its thing, and between a tip and the edge of the window. */
const GAP = 8;
/** How much of its thing a tip touches that stands mostly beside it. */
const LEAST = 24;
/** To hide a part of the thing itself is so much worse than to hide as much of others. */
const MOST = 100;
/** A place must hide so much less than one before it in the list, in square pixels. */
const LITTLE = 200;

/** Return where on an axis a tip of a `size` can stand along a thing, from end to end, kept within the window. */
function along(start: number, length: number, size: number, window: number): number[] {
  const most = Math.max(GAP, window - GAP - size);
  const [middle, last] = [start + (length - size) / 2, start + length - size];
  return [middle, start, last, start + length - LEAST, start + LEAST - size].map((at) =>
    Math.min(most, Math.max(GAP, at)),
  );
}

/** Return the places that touch the thing: above, below, right and left of it. */
function places(thing: Box, tip: Size, window: Size): Point[] {
  const xs = along(thing.x, thing.width, tip.width, window.width);
  const ys = along(thing.y, thing.height, tip.height, window.height);
  return [
    ...[thing.y - GAP - tip.height, thing.y + thing.height + GAP].flatMap((y) => xs.map((x) => ({ x, y }))),
    ...[thing.x + thing.width + GAP, thing.x - GAP - tip.width].flatMap((x) => ys.map((y) => ({ x, y }))),
  ];
}

/** Return how much of `box` lies under `other`, in square pixels: a large plate weighs more than a small one. */
function covered(box: Box, other: Box): number {
  const width = Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x);
  const height = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/**
 * Return the best place for a tip of a thing: within the window, then not over the thing, then over as little as
 * possible of `others`. `apart`: it may also stand at the upper or lower edge of the window, or just above or below
 * another thing, as a pointer need not reach it.
 */
export function beside(thing: Box, tip: Size, others: readonly Box[], window: Size, apart = false): Point {
  const { width, height } = tip;
  const visible = { x: 0, y: 0, width: window.width, height: window.height };
  const hidden = ({ x, y }: Point): number => {
    const at = { x, y, width, height };
    const under = others.reduce((sum, other) => sum + covered(other, at), MOST * covered(thing, at));
    return under + MOST * MOST * (width * height - covered(at, visible));
  };
  const x = (window.width - width) / 2;
  const rows = others.flatMap((other) => [other.y + other.height + GAP, other.y - GAP - height]);
  const edges = apart ? [GAP, window.height - GAP - height, ...rows].map((y) => ({ x, y })) : [];
  const all = [...places(thing, tip, window), ...edges].map((place) => ({ ...place, hidden: hidden(place) }));
  return all.reduce((best, place) => (place.hidden < best.hidden - LITTLE ? place : best));
}
