import { describe, expect, it } from "vitest";
import { check, type Export } from "../src/verify";

// Seed, salt and commitment are the test vectors in docs/explanation/fairness.md.
const SEED = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const SALT = "6465666768696a6b6c6d6e6f70717273";
const PLAIN =
  "altbIkBvcGVuZWQiLHsiY29tbWl0bWVudCI6ImI1YjdhY2RhMjRiOTY3ZWFjZGNlNTdjM2UyNTY5OWU2YjgxNTZlOTM3OWNkMzkwNzgyOWE1NG" +
  "FlNDI2NjQxNWQifV1d";
const DEFLATED =
  "enictZQ5DsMwDAT/4pqFSPl8i6AigN25SJEmvw/5AXEBb1pzNTOVW5vO63V/JmmtiIpJlVkWWWWTXQ5R/6iiJv85dmmDl1pH3GdXNw/fzmP0w7" +
  "Pbh691GdOf371g/F7XRMAYeEVC0C1zcBZekjF0TzWsidekFD1yE2/jRTnHCiBjjrwKIJkiPu4q/mwAywxSsmdRB8CsQk72LOoAmM2Qkz2LOgBm" +
  "C+Rkz6IOgNkKOdmzqANgtkFO9izqAJjtkJM9izoAZgfkZM+iDoDVAjnZs6gDYFUhJ3vWu/dN7/v1vc5JSu8/N/M9OA==";
const HEAD = "c8a83a86e82d2b65cda7a784d6313bc796722f05e29badcfe470a67fbfdab5b5";

/** Return an export of two batches, one plain and one deflated, as the server writes them. */
function file(): Export {
  const batches = [
    { seq: 0, count: 1, times: [0], body: PLAIN },
    { seq: 1, count: 2, times: [15, 2300], body: DEFLATED },
  ];
  return { seed: SEED, salt: SALT, log: { version: 3, head: HEAD, batches } };
}

const sound = async (changed: Export, shown = 3): Promise<boolean[]> =>
  (await check(changed, shown)).map((finding) => finding.sound);

describe("a file checked on the reader's own machine", () => {
  it("is sound when events, chain and promise agree", async () => {
    const found = await check(file(), 3);
    expect(found.map((finding) => finding.sound)).toEqual([true, true, true]);
    expect(found[2]?.words).toContain("b5b7acda24b9");
  });

  it("is not when it has another number of events than the page", async () => {
    expect(await sound(file(), 4)).toEqual([false, true, true]);
  });

  it("is not when a time was changed", async () => {
    const changed = file();
    changed.log.batches[1]?.times.splice(0, 1, 16);
    expect(await sound(changed)).toEqual([true, false, true]);
  });

  it("is not when a batch was left out", async () => {
    const changed = file();
    changed.log.batches.splice(0, 1);
    expect(await sound(changed)).toEqual([false, false, false]);
  });

  it("is not when the seed is another one", async () => {
    expect(await sound({ ...file(), seed: SEED.replace("00", "ff") })).toEqual([true, true, false]);
  });

  it("cannot be read when a body is no batch", async () => {
    const changed = file();
    changed.log.batches[0]!.body = btoa("x[]");
    await expect(check(changed, 3)).rejects.toThrow("codec");
  });
});
