/** The winner's side celebrates for a second: its panel glows, and suits fly up from it. */

import { wantsStill } from "../motion/timing";
import type { Outcome } from "../types";

const MS = 1000;
const PIECES = 14;
const SUITS = "♠♥♦♣";

/** Return the seats that have won; [] if nobody has, or all of them. */
export function winners({ placings }: Pick<Outcome, "placings">): number[] {
  const first = placings.flatMap((place, seat) => (place === 1 ? [seat] : []));
  return first.length < placings.length ? first : [];
}

/** Return how a piece flies: a fan upwards, wider with its number, and the same each time. */
export function pathOf(piece: number): { x: number; y: number; turn: number } {
  const part = (piece + 0.5) / PIECES - 0.5;
  return { x: Math.round(280 * part), y: -60 - 50 * (piece % 3), turn: Math.round(540 * part) };
}

function fly(from: HTMLElement, above: HTMLElement): void {
  const box = from.getBoundingClientRect();
  const layer = document.createElement("div");
  layer.ariaHidden = "true";
  layer.className = "celebration";
  Object.assign(layer.style, {
    position: "fixed",
    zIndex: "30",
    pointerEvents: "none",
    left: `${box.left + box.width / 2}px`,
    top: `${box.top + box.height / 2}px`,
  });
  const ends = Array.from({ length: PIECES }, (_, piece) => {
    const suit = document.createElement("span");
    suit.textContent = SUITS[piece % SUITS.length] ?? "";
    Object.assign(suit.style, {
      position: "absolute",
      color: `var(--${piece % 2 ? "red" : "gold"})`,
      fontSize: "1.4rem",
    });
    layer.append(suit);
    const { x, y, turn } = pathOf(piece);
    const end = `translate(${x}px, ${y}px) rotate(${turn}deg)`;
    return suit.animate(
      [
        { transform: "none", opacity: 1 },
        { transform: end, opacity: 1, offset: 0.6, easing: "ease-in" },
        { transform: `${end} translateY(120px)`, opacity: 0 },
      ],
      { duration: MS, easing: "cubic-bezier(.2, .8, .3, 1)", fill: "both" },
    ).finished;
  });
  above.append(layer);
  void Promise.allSettled(ends).then(() => layer.remove());
}

/** Celebrate the winners of a game on the board in `root`. Nothing happens under reduced motion. */
export function celebrate(root: HTMLElement, outcome: Pick<Outcome, "placings">): void {
  if (wantsStill()) return;
  for (const seat of winners(outcome)) {
    for (const panel of root.querySelectorAll<HTMLElement>(
      `.result-card [data-seat="${seat}"], .seat[data-seat="${seat}"]`,
    )) {
      const glow = "color-mix(in srgb, var(--gold) 70%, transparent)";
      panel.animate(
        [{ boxShadow: "none" }, { boxShadow: `0 0 0 4px ${glow}, 0 0 24px 8px ${glow}` }, { boxShadow: "none" }],
        { duration: MS, easing: "ease-out" },
      );
      if (panel.closest(".result-card")) fly(panel, root);
    }
  }
}
