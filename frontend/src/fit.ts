/** Finds the largest board size that leaves the controls visible, on a page and in a frame of another site. */

/** A size of the board. `alone`: the page is scrolled past its head, so that the table has the whole window. */
export interface Size {
  zoom: number;
  alone: boolean;
}

/** The height that the table needs, and the height that is available, both in px. */
export interface Room {
  wanted: number;
  there: number;
}

const LEAST = 0.4;
const LEAST_UNDER_THE_HEAD = 0.82;
const STEP = 0.03;

function sizes(least: number, alone: boolean): Size[] {
  const steps = Math.floor((1 - least) / STEP + 1e-9) + 1;
  return Array.from({ length: steps }, (_, step) => ({ zoom: Math.round(100 - 100 * STEP * step) / 100, alone }));
}

/** Sizes in order of preference: a slightly smaller board, then without the page's head, then as small as necessary. */
export const SIZES: readonly Size[] = [...sizes(LEAST_UNDER_THE_HEAD, false), ...sizes(LEAST, true)];

const LEAST_LATER = 0.7;

/**
 * Keeps `board` within the window. After the first choice the board shrinks when a moment needs more room. It takes the
 * room of the page's head only if it would become far too small. It grows only in a higher window.
 */
export class Fit {
  private size: Size | null = null;

  constructor(
    private readonly board: { style: { zoom: string } },
    private readonly room: (size: Size) => Room,
    private readonly sizes: readonly Size[] = SIZES,
  ) {}

  /** After each step: shrink if necessary, never grow. Returns the size. */
  shrink(): Size {
    const { size } = this;
    return size ? this.first(this.later(size).filter(({ zoom }) => zoom <= size.zoom)) : this.anew();
  }

  /** After a change of the window's height. */
  higher(): Size {
    return this.size ? this.first(this.later(this.size)) : this.anew();
  }

  /** After a change of the window's width: choose from all sizes. */
  anew(): Size {
    return this.first(this.sizes);
  }

  private later({ alone }: Size): Size[] {
    return [...(alone ? [] : sizes(LEAST_LATER, false)), ...sizes(LEAST, true)];
  }

  /** Set and return the first of `sizes` that fits, or the last one. */
  private first(sizes: readonly Size[]): Size {
    for (const size of sizes) {
      this.size = size;
      const zoom = String(size.zoom);
      if (this.board.style.zoom !== zoom) this.board.style.zoom = zoom; // writing it would mean laying out once more
      const { wanted, there } = this.room(size);
      if (wanted <= there) break;
    }
    return this.size as Size;
  }
}

const NARROW = 896; // 56rem, as in the style sheets
const EDGE = 8;
/** By how many pixels the table may have come down after it was scrolled to, because something above it has grown. */
const LITTLE = 48;

/** Keeps a table in the window. `step`: after each step; `anew`: after a change of the window. */
export interface Sight {
  step: () => void;
  anew: () => void;
}

/**
 * Keep the felt (`felt`) and the `parts` below it in the window, in one column. On a phone, or if the felt would become
 * too small, the table has the whole window, and the page scrolls to it once. It does not scroll back when the reader
 * is below the table. The felt keeps the greatest height that it had, so that it does not change from turn to turn.
 */
export function keepInSight(root: HTMLElement, felt: HTMLElement, parts: () => Element[]): Sight {
  const gap = (): number => parseFloat(getComputedStyle(root).rowGap) || 0;
  const top = (): number => root.getBoundingClientRect().top + window.scrollY;
  const owned = ({ alone }: Size): boolean => alone || window.innerWidth < NARROW;
  const room = (size: Size): Room => {
    const others = parts().map((part) => part.getBoundingClientRect().height);
    const wanted = felt.getBoundingClientRect().height + others.reduce((sum, height) => sum + height + gap(), 0);
    return { wanted, there: window.innerHeight - EDGE - (owned(size) ? 0 : Math.max(top(), EDGE)) };
  };
  const fit = new Fit(felt, room);
  let [width, had, high, rest] = [0, false, 0, 0];
  const settle = (size: Size): void => {
    high = Math.max(high, felt.getBoundingClientRect().height / size.zoom);
    felt.style.minHeight = `${high}px`;
    if (owned(size) && !had && window.scrollY <= top() + 1) {
      root.scrollIntoView();
      rest = top() - window.scrollY;
    }
    const down = top() - window.scrollY - rest;
    if (owned(size) && had && down > 1 && down < LITTLE) window.scrollBy(0, down);
    had = owned(size);
  };
  const decide = (): Size => {
    [width, had, high] = [window.innerWidth, false, 0];
    felt.style.minHeight = "";
    return fit.anew();
  };
  return {
    step: () => settle(width ? fit.shrink() : decide()),
    anew: () => settle(width === window.innerWidth ? fit.higher() : decide()),
  };
}
