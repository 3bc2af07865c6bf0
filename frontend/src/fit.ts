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

/** Keep `board` within the window: it becomes smaller where a moment needs more room, and larger again only with the
 *  window, so that it does not jump from step to step. */
export class Fit {
  private at = 0;

  constructor(
    private readonly board: { style: { zoom: string } },
    private readonly room: (size: Size) => Room,
    private readonly sizes: readonly Size[] = SIZES,
  ) {}

  /** After each step; the size that was found. */
  shrink(): Size {
    for (; ; this.at++) {
      const size = this.sizes[this.at] as Size;
      this.board.style.zoom = String(size.zoom);
      const { wanted, there } = this.room(size);
      if (wanted <= there || this.at === this.sizes.length - 1) return size;
    }
  }

  /** With a new size of the window. */
  anew(): Size {
    this.at = 0;
    return this.shrink();
  }
}

const NARROW = 896; // as in the style sheets: 56rem
const EDGE = 8;

/** Keeps a table in the window: the felt with what is needed beside it (`parts`), in one column. On a phone, or where
 *  the felt would become too small, the window is the table's alone, and the page begins there. Gives what to call after
 *  each step, and with a new size of the window. */
export function keepInSight(root: HTMLElement, felt: HTMLElement, parts: () => Element[]): { step: () => void; anew: () => void } {
  const gap = (): number => parseFloat(getComputedStyle(root).rowGap) || 0;
  const room = ({ alone }: Size): Room => {
    const head = root.getBoundingClientRect().top + window.scrollY;
    const others = parts().map((part) => part.getBoundingClientRect().height);
    const wanted = felt.getBoundingClientRect().height + others.reduce((sum, height) => sum + height + gap(), 0);
    return { wanted, there: window.innerHeight - EDGE - (alone ? 0 : Math.max(head, EDGE)) };
  };
  const fit = new Fit(felt, room);
  let begun = false;
  const settle = (size: Size): void => {
    if (!begun && (size.alone || window.innerWidth < NARROW)) root.scrollIntoView();
    begun = true;
  };
  return { step: () => settle(fit.shrink()), anew: () => settle(fit.anew()) };
}
