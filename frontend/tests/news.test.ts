import { describe, expect, it } from "vitest";
import { applyEnd, applyNews, type News, newsIn } from "../src/news";
import { replayOf } from "./sample";

function news(since: number, versions: number[], version = versions.at(-1) ?? since): News {
  const { frames, scores } = replayOf(versions);
  return { since, version, frames, scores };
}

describe("what is new", () => {
  const replay = replayOf([2, 3], { version: 3 });

  it("is added once, however often and in however large pieces it comes", () => {
    const first = applyNews(replay, news(3, [4, 5]));
    const again = applyNews(applyNews(first, news(3, [4, 5])), news(1, [2, 3, 4, 5, 6]));
    expect(again.frames.map(({ version }) => version)).toEqual([2, 3, 4, 5, 6]);
    expect(again.scores).toHaveLength(5);
    expect(again.version).toBe(6);
  });

  it("changes nothing where it would leave a gap: the stream brings what is missing", () => {
    expect(applyNews(replay, news(5, [6]))).toBe(replay);
  });

  it("moves the version on where an event has no words", () => {
    const moved = applyNews(replay, news(3, [], 4));
    expect([moved.version, moved.frames]).toEqual([4, replay.frames]);
  });

  it("keeps what is printed on things where the news have none", () => {
    const printed = { ...replay, items: { A1: { text: "ace" } } };
    expect(applyNews(printed, { ...news(3, [], 4), items: {} }).items).toEqual(printed.items);
  });

  it("is told from other lines by its frames", () => {
    expect(newsIn({ type: "state", number: 4 })).toBeNull();
    expect(newsIn({ version: 4, events: [], turn: null })).toBeNull();
    expect(newsIn({ type: "frames", ...news(3, [4]) })?.version).toBe(4);
  });

  it("may be the end of the game", () => {
    expect(applyEnd(replay, { status: "finished", outcome: null }).game.status).toBe("finished");
  });
});
