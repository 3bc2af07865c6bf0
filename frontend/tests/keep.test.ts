/** What is typed in the lab is kept in this browser, also where two tabs edit the same document. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { chosenFile } from "../src/lab/chosen";
import { Keeper, kept, PAUSE_MS } from "../src/lab/keep";
import { programOf } from "../src/programs";

const browser = new Map<string, string>();
const warn = vi.fn();

beforeEach(() => {
  browser.clear();
  warn.mockClear();
  vi.useFakeTimers();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => browser.get(name) ?? null,
    setItem: (name: string, text: string) => browser.set(name, text),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A tab with an editor. */
class Tab {
  content = "as opened";
  keeper = new Keeper("new/palace", this, warn);
  text = (): string => this.content;
  replace(text: string): void {
    this.content = text;
    this.keeper.changed(); // an editor says so of each change
  }
}

it("a text is kept when somebody pauses, and at once when the page is left", () => {
  const tab = new Tab();
  tab.replace("typed");
  expect(kept("new/palace")).toBeNull();
  vi.advanceTimersByTime(PAUSE_MS);
  expect(kept("new/palace")).toBe("typed");
  tab.replace("typed on");
  tab.keeper.store();
  expect(kept("new/palace")).toBe("typed on");
});

it("a tab that is closed writes nothing over what was typed in another", () => {
  const [first, second] = [new Tab(), new Tab()];
  second.replace("typed in the second");
  second.keeper.store();
  first.keeper.store();
  expect(kept("new/palace")).toBe("typed in the second");
});

it("a tab takes over what another one keeps, and does not write it back later", () => {
  const [first, second] = [new Tab(), new Tab()];
  second.replace("one");
  vi.advanceTimersByTime(PAUSE_MS);
  first.keeper.renew();
  expect(first.content).toBe("one");
  second.replace("one two");
  second.keeper.store();
  vi.advanceTimersByTime(PAUSE_MS);
  expect(kept("new/palace")).toBe("one two");
  first.replace("mine");
  first.keeper.renew();
  expect(first.content).toBe("mine");
});

it("a text that the browser does not keep is not replaced by an older one", () => {
  const tab = new Tab();
  tab.replace("older");
  tab.keeper.store();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => browser.get(name) ?? null,
    setItem: () => {
      throw new Error("The quota is used up.");
    },
  });
  tab.replace("newer");
  tab.keeper.store();
  tab.keeper.renew();
  expect([tab.content, warn.mock.calls.length]).toEqual(["newer", 1]);
});

it("the same file can be chosen again after a change, and one that cannot be read changes nothing", async () => {
  const input = (text: () => Promise<string>) => ({ files: [{ name: "rex.py", text }], value: "rex.py" });
  const read = input(() => Promise.resolve("class Bot"));
  expect(await chosenFile(read)).toEqual({ name: "rex.py", source: "class Bot" });
  expect(read.value).toBe("");
  expect(await chosenFile(input(() => Promise.reject(new Error("It is gone."))))).toBeNull();
});

it("a bot that does not play a kind is not asked for: the first in the list is", () => {
  expect(programOf("sensible", ["random", "sensible"])).toBe("sensible");
  expect(programOf("sensible", ["random", "strong"])).toBe("random");
});
