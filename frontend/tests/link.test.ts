import { describe, expect, it } from "vitest";
import { indexAt, linkedVersion, linkTo, sharedLink, versionIn } from "../src/link";
import { replayOf } from "./sample";

describe("links to a moment", () => {
  it("are read back as they were written", () => {
    const link = linkTo("https://club.example/games/7F3K0000/?viewpoint=all#3", "1", 61);
    expect(link).toBe("https://club.example/games/7F3K0000/?viewpoint=1#61");
    expect(versionIn(new URL(link).hash)).toBe(61);
  });

  it("for others name the moment where a server sees it, and lead there without a hash too", () => {
    const link = sharedLink("https://club.example/games/7F3K0000/?viewpoint=all#3", "1", 61);
    expect(link).toBe("https://club.example/games/7F3K0000/?viewpoint=1&at=61#61");
    expect(linkedVersion(link)).toBe(61);
    expect(linkedVersion(link.replace("#61", ""))).toBe(61);
    expect(linkedVersion("https://club.example/games/7F3K0000/?at=x")).toBeNull();
    expect(linkTo(link, "1", 62)).toBe("https://club.example/games/7F3K0000/?viewpoint=1#62");
  });

  it("name a version in digits or none at all", () => {
    expect(versionIn("")).toBeNull();
    expect(versionIn("#final-h")).toBeNull();
    expect(versionIn("#-3")).toBeNull();
  });

  it("to a version without a step lead to the step before it", () => {
    const { frames } = replayOf([2, 4, 9]);
    expect([0, 2, 3, 8, 9, 100].map((version) => indexAt(frames, version))).toEqual([0, 0, 0, 1, 2, 2]);
    expect(indexAt([], 5)).toBe(0);
  });
});
