import { expect, it } from "vitest";
import index from "../gallery/index.html?raw";
import { KINDS } from "./golden";

it("The gallery offers every kind, and shows its positions light, dark and on a phone", async () => {
  document.body.innerHTML = new DOMParser().parseFromString(index, "text/html").body.innerHTML;
  await import("../gallery/gallery");
  const kinds = [...document.querySelectorAll<HTMLOptionElement>("select[name=kind] option")].map(({ value }) => value);
  expect(kinds.length).toBeGreaterThan(4);
  expect(kinds).toEqual([...KINDS]);
  const frames = [...document.querySelectorAll("section:first-of-type iframe")] as HTMLIFrameElement[];
  expect(frames.map(({ title }) => title.replace(/.*?, /, ""))).toEqual([
    "light, wide",
    "light, phone",
    "dark, wide",
    "dark, phone",
  ]);
  document.body.innerHTML = "";
});
