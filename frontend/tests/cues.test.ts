/** Which sound belongs to what moved. */

import { expect, it } from "vitest";
import type { Flow, Thing } from "../src/motion/flows";
import { cueOf } from "../src/sound/cues";

const card = (place: string): Thing => ({ sort: "card", name: "7S", place });
const moves = (from: string, to: string): Flow => ({ how: "moves", from: card(from), to: card(to) });
const how = (each: Flow["how"]): Flow => ({ how: each, from: card("a"), to: card("a") });

it("is that of the most telling thing that moved", () => {
  expect(cueOf([how("slides")])).toBeNull();
  expect(cueOf([moves("0/hand", "/pile"), how("slides")])).toBe("play");
  expect(cueOf([moves("/deck", "1/hand")])).toBe("play");
  expect(cueOf([moves("/spot 1", "0/won"), moves("0/hand", "0/won")])).toBe("capture");
  expect(cueOf(Array.from({ length: 6 }, () => moves("/deck", "0/hand")))).toBe("deal");
  expect(cueOf([how("turns")])).toBe("flip");
  expect(cueOf([how("tumbles"), moves("0/pool", "0/on P1")])).toBe("dice");
  expect(cueOf([how("breaks"), how("tumbles")])).toBe("break");
});
