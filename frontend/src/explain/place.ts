/** Where a tip stands: beside its thing, over as little of other things as possible. Pure. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Something else on the screen; `acts`: one can act on it now. */
export interface Other {
  box: Box;
  acts: boolean;
}

type Point = Pick<Box, "x" | "y">;
type Size = Pick<Box, "width" | "height">;

/** Between a tip and its thing, and between a tip and the edge of the window. */
const GAP = 8;
/** How much of its thing a tip touches that stands mostly beside it. */
const LEAST = 24;
/** To hide a part of the thing itself is so much worse than to hide as much of others. */
const MOST = 100;
/** To hide what one can act on is so much worse than to hide as much of others. */
const ACTS = 8;
/** A place must hide so much less than one before it in the list, in square pixels. */
const LITTLE = 200;
/** A place apart from the thing must hide so much less than one beside it: the eye has to go there. */
const APART = 4000;

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

/** Return places apart from the thing: at the edges of the window, and just above or below another thing. */
function apart(tip: Size, others: readonly Other[], window: Size): Point[] {
  const [right, low] = [window.width - GAP - tip.width, window.height - GAP - tip.height];
  const rows = others.flatMap(({ box }) => [box.y + box.height + GAP, box.y - GAP - tip.height]);
  const columns = [(window.width - tip.width) / 2, GAP, right];
  return [...new Set([GAP, low, ...rows])].flatMap((y) => columns.map((x) => ({ x, y })));
}

/** Return how much of `box` lies under `other`, in square pixels: a large plate weighs more than a small one. */
function covered(box: Box, other: Box): number {
  const width = Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x);
  const height = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/**
 * Return the best place for a tip of a thing: within the window, then not over the thing, then over as little as
 * possible of `others`, first of all of those that one can act on. `acts`: it hides some of those nevertheless.
 */
export function beside(
  thing: Box,
  { width, height }: Size,
  others: readonly Other[],
  window: Size,
): Point & { acts: boolean } {
  const tip = { width, height };
  const visible = { x: 0, y: 0, ...window };
  const hidden = (at: Box): number => {
    const outside = width * height - covered(at, visible);
    const under = others.reduce((sum, { box, acts }) => sum + (acts ? ACTS : 1) * covered(box, at), 0);
    return under + MOST * covered(thing, at) + MOST * MOST * outside;
  };
  const near = places(thing, tip, window).map((at) => ({ ...at, hidden: hidden({ ...at, ...tip }) }));
  const far = apart(tip, others, window).map((at) => ({ ...at, hidden: APART + hidden({ ...at, ...tip }) }));
  const { x, y } = [...near, ...far].reduce((best, each) => (each.hidden < best.hidden - LITTLE ? each : best));
  return { x, y, acts: others.some(({ box, acts }) => acts && covered(box, { x, y, ...tip }) > 0) };
}
