/** Loading Python where the connection is lost. */

import { afterEach, expect, it, vi } from "vitest";
import { Python } from "../src/lab/python";
import { Unloaded } from "../src/lab/runner";

afterEach(() => void vi.unstubAllGlobals());

it("a lost connection is said, and the next wish loads Python again", async () => {
  const fetched = vi.fn(() => Promise.reject(new TypeError("Failed to fetch")));
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("Worker", vi.fn());
  const python = new Python({ frame: "", wheels: ["/library.whl"] }, "en");
  const answer = python.runner.ask("words", { kind: "palace" });
  const [, error] = await Promise.all([python.wake(), answer.catch((reason: unknown) => reason)]);
  expect(error).toBeInstanceOf(Unloaded);
  expect(python.runner.state).toBe("unloaded");
  const before = fetched.mock.calls.length;
  await python.wake();
  expect(fetched.mock.calls.length).toBe(2 * before);
});
