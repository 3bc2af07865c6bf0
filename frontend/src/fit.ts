/** The board in a frame of another site: drawn as small as it must be for controls and board to be in sight at once. */

const SIZES = [1, 0.92, 0.85, 0.78, 0.71, 0.64, 0.57, 0.5];

/** Keep `board` within the window: it becomes smaller where a moment needs more room, and larger again only with the
 *  window, so that it does not jump from step to step. */
export class Fit {
  private size = 0;

  constructor(
    private readonly board: { style: { zoom: string } },
    private readonly room: () => { wanted: number; there: number },
  ) {}

  /** After each step. */
  shrink(): void {
    for (; this.size < SIZES.length; this.size++) {
      this.board.style.zoom = String(SIZES[this.size]);
      const { wanted, there } = this.room();
      if (wanted <= there) return;
    }
    this.size = SIZES.length - 1;
  }

  /** With a new size of the window. */
  anew(): void {
    this.size = 0;
    this.shrink();
  }
}
