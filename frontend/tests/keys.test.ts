import { describe, expect, it } from "vitest";
import { actionFor } from "../src/keys";

const press = (key: string, on = "body", modified = false) => actionFor({ key, on, modified });

describe("keys", () => {
  it("step as chess players know it", () => {
    expect(press("ArrowRight")).toEqual({ do: "step", by: 1 });
    expect(press("k")).toEqual({ do: "step", by: -1 });
    expect(press("Home")).toEqual({ do: "first" });
    expect(press(" ")).toEqual({ do: "toggle" });
  });

  it("choose eyes by the number of the seat as people count, 0 for the public", () => {
    expect(press("1")).toEqual({ do: "eyes", eyes: "0" });
    expect(press("8")).toEqual({ do: "eyes", eyes: "7" });
    expect(press("0")).toEqual({ do: "eyes", eyes: "public" });
    expect(press("9")).toBeNull();
  });

  it("leave the browser's own shortcuts and whoever types alone", () => {
    expect(press("f", "body", true)).toBeNull();
    expect(press("j", "input:text")).toBeNull();
  });

  it("leave an element what it needs itself", () => {
    expect(press(" ", "button")).toBeNull();
    expect(press("ArrowRight", "input:range")).toBeNull();
    expect(press("j", "input:range")).toEqual({ do: "step", by: 1 });
    expect(press("ArrowRight", "button")).toEqual({ do: "step", by: 1 });
  });
});
