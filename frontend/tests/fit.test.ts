import { describe, expect, it } from "vitest";
import { Fit } from "../src/fit";

/** A board with the height `high` at full size. The window has 700, the rest needs 200, the page's head 100. */
function framed(high: number) {
  const board = { style: { zoom: "" } };
  const window = { high, there: 700 };
  const fit = new Fit(board, ({ alone }) => ({
    wanted: 200 + window.high * Number(board.style.zoom),
    there: window.there - (alone ? 0 : 100),
  }));
  return { board, window, fit };
}

describe("the board in a window", () => {
  it("keeps its size where there is room", () => {
    const { board, fit } = framed(400);
    expect(fit.shrink().alone).toBe(false);
    expect(board.style.zoom).toBe("1");
  });

  it("becomes somewhat smaller under the page's head, and takes the head's room where that is not enough", () => {
    expect(framed(450).fit.shrink()).toEqual({ zoom: 0.88, alone: false });
    expect(framed(500).fit.shrink()).toEqual({ zoom: 1, alone: true });
  });

  it("becomes as small as a moment needs, and stays so for the next", () => {
    const { board, window, fit } = framed(600);
    fit.shrink();
    expect(board.style.zoom).toBe("0.82");
    window.high = 400;
    fit.shrink();
    expect(board.style.zoom).toBe("0.82");
  });

  it("never becomes larger from step to step, and takes the head's room where it would be far too small", () => {
    const { window, fit } = framed(400);
    const found = [400, 450, 500, 600, 450].map((high) => {
      window.high = high;
      return fit.shrink();
    });
    expect(found.map(({ zoom }) => zoom)).toEqual([1, 0.88, 0.79, 0.79, 0.79]);
    expect(found.map(({ alone }) => alone)).toEqual([false, false, false, true, true]);
  });

  it("grows again with the window, and has a least size", () => {
    const { board, window, fit } = framed(2000);
    fit.shrink();
    expect(board.style.zoom).toBe("0.4");
    window.there = 2300;
    fit.anew();
    expect(board.style.zoom).toBe("1");
  });
});
