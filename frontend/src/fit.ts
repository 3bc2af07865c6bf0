/** The board as large as it can be with its controls in sight: in a window, and in a frame of another site. */

/** How large the board is drawn, and whether the window belongs to the table alone, scrolled past the page's head. */
export interface Size {
  zoom: number;
  alone: boolean;
}

/** What one looks for a size in: how much height is wanted, and how much is there. */
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

/** The best first: a board somewhat smaller, then without the page's head, then as small as need be. */
export const SIZES: readonly Size[] = [...sizes(LEAST_UNDER_THE_HEAD, false), ...sizes(LEAST, true)];

const LEAST_LATER = 0.7;
const STEPS_WORTH_IT = 2;

/** Keep `board` within the window. Once its size was decided, it becomes smaller where a moment needs more room, takes
 *  the head's room only where it would become far too small, and grows only at a calm moment or in a higher window. */
export class Fit {
  private size: Size | null = null;

  constructor(
    private readonly board: { style: { zoom: string } },
    private readonly room: (size: Size) => Room,
    private readonly sizes: readonly Size[] = SIZES,
  ) {}

  /** After each step: never larger than before; the size that was found. */
  shrink(): Size {
    const { size } = this;
    return size ? this.first(this.later(size).filter(({ zoom }) => zoom <= size.zoom)) : this.anew();
  }

  /** At a calm moment, such as a new turn: larger too, where that is more than a trifle. */
  rest(): Size {
    const before = this.shrink();
    const found = this.higher();
    return found.zoom - before.zoom > (STEPS_WORTH_IT - 0.5) * STEP ? found : this.first([before]);
  }

  /** In a window that has become higher or lower. */
  higher(): Size {
    return this.size ? this.first(this.later(this.size)) : this.anew();
  }

  /** In a window of a new width: all is decided anew. */
  anew(): Size {
    return this.first(this.sizes);
  }

  private later({ alone }: Size): Size[] {
    return [...(alone ? [] : sizes(LEAST_LATER, false)), ...sizes(LEAST, true)];
  }

  /** The first of `sizes` that leaves room for the rest, or else the last. */
  private first(sizes: readonly Size[]): Size {
    for (const size of sizes) {
      this.size = size;
      this.board.style.zoom = String(size.zoom);
      const { wanted, there } = this.room(size);
      if (wanted <= there) break;
    }
    return this.size as Size;
  }
}

const NARROW = 896; // as in the style sheets: 56rem
const EDGE = 8;

/** What keeps a table in the window: called after each step, at a calm moment, and with a new size of the window. */
export interface Sight {
  step: () => void;
  rest: () => void;
  anew: () => void;
}

/** Keeps a table in the window: the felt with what is needed beside it (`parts`), in one column. On a phone, or where
 *  the felt would become too small, the window is the table's alone, and the page begins there. It is scrolled there
 *  when it becomes the table's, and never back from what stands below the table. */
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
  let [width, had] = [0, false];
  const settle = (size: Size): void => {
    if (owned(size) && !had && window.scrollY <= top() + 1) root.scrollIntoView();
    had = owned(size);
  };
  const decide = (): Size => {
    [width, had] = [window.innerWidth, false];
    return fit.anew();
  };
  return {
    step: () => settle(width ? fit.shrink() : decide()),
    rest: () => settle(width ? fit.rest() : decide()),
    anew: () => settle(width === window.innerWidth ? fit.higher() : decide()),
  };
}
