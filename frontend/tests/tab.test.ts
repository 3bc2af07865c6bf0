import { expect, test, vi } from "vitest";

test("the tab says that it is my turn, and its own title and icon come back after it", async () => {
  const attributes: Record<string, string> = { href: "/own.svg" };
  const icon = {
    dataset: { turn: "/turn.svg" } as Record<string, string>,
    getAttribute: (name: string) => attributes[name],
    get href() {
      return attributes.href ?? "";
    },
    set href(there: string) {
      attributes.href = there;
    },
  };
  const page = { title: "Ann against Bea · Scorebook", querySelector: () => icon };
  vi.stubGlobal("document", page);
  vi.resetModules();
  const { markTab, pageTitle } = await import("../src/table/tab");
  for (let times = 0; times < 2; times += 1) {
    markTab(true);
    markTab(true);
    expect([page.title, icon.href]).toEqual(["● Your turn · Ann against Bea · Scorebook", "/turn.svg"]);
    markTab(false);
    expect([page.title, icon.href]).toEqual([pageTitle, "/own.svg"]);
  }
  vi.unstubAllGlobals();
});
