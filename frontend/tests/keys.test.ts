import { describe, expect, it } from "vitest";
import { keyList } from "../src/keylist";
import { actionFor } from "../src/keys";
import { USUAL } from "./shortcuts";

const press = (key: string, on = "body", modified = false, shortcuts = USUAL) =>
  actionFor({ key, on, modified }, shortcuts);

describe("keys", () => {
  it("step as chess players know it", () => {
    expect(press("ArrowRight")).toEqual({ do: "step", by: 1 });
    expect(press("k")).toEqual({ do: "step", by: -1 });
    expect(press("Home")).toEqual({ do: "first" });
    expect(press("p")).toEqual({ do: "toggle" });
    expect(press("J")).toEqual({ do: "step", by: 1 });
  });

  it("leave Space to the page where nothing is focused, and play on the controls", () => {
    expect(press(" ")).toBeNull();
    expect(press(" ", "input:range")).toEqual({ do: "toggle" });
  });

  it("of a single character can be switched off; arrows, Home and End stay", () => {
    const off = { ...USUAL, on: false };
    expect([..."jkbnpsrf0alh?12"].map((key) => press(key, "body", false, off)).filter(Boolean)).toEqual([]);
    expect(press("ArrowRight", "body", false, off)).toEqual({ do: "step", by: 1 });
    expect(press("Escape", "body", false, off)).toBeNull(); // menus and dialogs close by themselves
    expect(keyList(off).flatMap(([keys]) => keys)).toEqual(["←", "→", "Home", "End", "Space"]);
  });

  it("of a single character can be others", () => {
    const other = { on: true, keys: { ...USUAL.keys, back: "h", help: "k" } };
    expect(press("h", "body", false, other)).toEqual({ do: "step", by: -1 });
    expect(press("k", "body", false, other)).toEqual({ do: "help" });
    expect(press("?", "body", false, other)).toBeNull();
    expect(keyList(other).flatMap(([keys]) => keys)).toContain("h");
  });

  it("choose eyes by the number of the seat as people count, 0 for the public", () => {
    expect(press("1")).toEqual({ do: "viewpoint", viewpoint: "0" });
    expect(press("8")).toEqual({ do: "viewpoint", viewpoint: "7" });
    expect(press("0")).toEqual({ do: "viewpoint", viewpoint: "public" });
    expect(press("9")).toBeNull();
  });

  it("leave the browser's own shortcuts and whoever types alone", () => {
    expect(press("f", "body", true)).toBeNull();
    expect(press("j", "input:text")).toBeNull();
  });

  it.each(["input:number", "input:search", "input:file", "input:date", "text", "select"])("leave all to %s", (on) => {
    const keys = ["1", "0", "j", " ", "Home", "End", "ArrowLeft", "Escape"];
    expect(keys.filter((key) => press(key, on))).toEqual([]);
  });

  it("leave an element what it needs itself", () => {
    expect(press(" ", "button")).toBeNull();
    expect(press(" ", "input:checkbox")).toBeNull();
    expect(press("j", "input:checkbox")).toEqual({ do: "step", by: 1 });
    expect(press("ArrowRight", "input:range")).toBeNull();
    expect(press("j", "input:range")).toEqual({ do: "step", by: 1 });
    expect(press("ArrowRight", "button")).toEqual({ do: "step", by: 1 });
  });
});
