import { describe, expect, it } from "vitest";
import { Fit } from "../src/fit";

/** A board that is `high` at full size, in a window of 700 with 200 for the rest. */
function framed(high: number) {
  const board = { style: { zoom: "" } };
  const window = { high, there: 700 };
  const fit = new Fit(board, () => ({ wanted: 200 + window.high * Number(board.style.zoom), there: window.there }));
  return { board, window, fit };
}

describe("the board in a frame", () => {
  it("keeps its size where there is room", () => {
    const { board, fit } = framed(480);
    fit.shrink();
    expect(board.style.zoom).toBe("1");
  });

  it("becomes as small as a moment needs and stays so for the next", () => {
    const { board, window, fit } = framed(600);
    fit.shrink();
    expect(board.style.zoom).toBe("0.78");
    window.high = 400;
    fit.shrink();
    expect(board.style.zoom).toBe("0.78");
  });

  it("grows again with the window, and is never less than half", () => {
    const { board, window, fit } = framed(2000);
    fit.shrink();
    expect(board.style.zoom).toBe("0.5");
    window.there = 2300;
    fit.anew();
    expect(board.style.zoom).toBe("1");
  });
});
