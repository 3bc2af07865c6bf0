/** Mounts a component for a test, and removes it after each test. */

import { cdp } from "vitest/browser";
import { afterEach } from "vitest";
import { clear } from "./mounting";

export * from "./mounting";

afterEach(clear);

const session: { send?(method: string, params: object): Promise<unknown> } = cdp();

/** Emulate a reader who prefers "reduce", as all tests do unless they say otherwise, or "no-preference" in motion. */
export const prefer = (value: string): Promise<unknown> | undefined =>
  session.send?.("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value }] });
