/** Returns how touches become moves in each kind, without its board. */

import type { Touches } from "../src/boards/contract";

const FILES = import.meta.glob<Touches>("../src/boards/kinds/*/touches.ts", { import: "touches", eager: true });

export function touchesOf(kind: string): Touches {
  const found = FILES[`../src/boards/kinds/${kind}/touches.ts`];
  if (!found) throw new Error(`The kind ${kind} has no touches.`);
  return found;
}
