/**
 * What is new in a game, from its stream or in the answer to a move. This is the one way from there to what the page
 * shows. Pure.
 */

import type { Clocks, Replay } from "./types";

/** The frames after version `since` up to `version`, as `replay/?since=` has them, and the reader's turn. */
export interface News extends Pick<Replay, "version" | "frames" | "scores"> {
  since: number;
  asks?: Replay["asks"];
  items?: Replay["items"];
  turn?: Replay["turn"];
  /** The clocks after the last frame, as everybody may see them. */
  clock?: Clocks;
}

/** How a game ended, as far as the reader may know it. */
export type End = Pick<Replay["game"], "status" | "outcome">;

/** Return the news in a line of the stream or in an answer; null if it has no frames. */
export function newsIn(data: object): News | null {
  return "frames" in data && "since" in data ? (data as News) : null;
}

/** Return the replay with the news. Frames that it has stay; news that leave a gap change nothing. */
export function applyNews(replay: Replay, news: News): Replay {
  if (news.since > replay.version || news.version <= replay.version) return replay;
  const frames = news.frames.filter(({ version }) => version > replay.version);
  const scores = news.scores.slice(news.frames.length - frames.length);
  const items = Object.keys(news.items ?? {}).length ? news.items : replay.items;
  return {
    ...replay,
    game: { ...replay.game, clock: news.clock },
    version: news.version,
    frames: [...replay.frames, ...frames],
    scores: [...replay.scores, ...scores],
    asks: news.asks ?? "",
    ...(items ? { items } : {}),
  };
}

/** Return the replay of a game that has ended. */
export function applyEnd(replay: Replay, { status, outcome }: End): Replay {
  return { ...replay, game: { ...replay.game, status, outcome } };
}
