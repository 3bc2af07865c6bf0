/** Short texts around the game. The server sends moves, events and rules in words. */

import { _, listed } from "../gettext";
import type { Seat, Turn } from "../types";
import { actors, nameOf } from "../words";
import { type TableController } from "./controller.svelte";

function waiting(turn: Turn, seats: readonly Seat[]): string {
  const others = turn.waiting_for.filter((seat) => seat !== turn.seat).map((seat) => nameOf(seats, seat));
  return listed(others);
}

/** Return the heading of the tray: whose turn it is, as far as this seat may know. */
export function headline(state: TableController): string {
  const { turn } = state;
  const { seats } = state.replay.game;
  if (!turn || turn.over) return _("The game is over");
  if (turn.before_go) return turn.before_go.countdown ? _("Get ready") : _("The game has not begun");
  const others = waiting(turn, seats);
  if (state.staged) return _("Confirm your move");
  if (state.acting) {
    if (state.making.length) return _("Your bundle");
    const alone = state.frame && actors(state.frame.observation).length === 1; // such as who drafts
    if (turn.pace === "beats" && !alone) return _("Your moves, all at the same time");
    if (turn.pace === "live" && turn.waiting_for.length > 1) return _("GO: all players play");
    return turn.waiting_for.includes(turn.seat) || !others
      ? _("Your turn")
      : _("A race: you may move before {names} does", { names: others });
  }
  if (turn.given) return _("Moves submitted");
  return others ? _("Waiting for {names}", { names: others }) : _("Waiting");
}

/** Return the line below the heading, or "". */
export function subline(state: TableController): string {
  const { turn } = state;
  if (!turn) return "";
  if (turn.over) return turn.over.words;
  const others = waiting(turn, state.replay.game.seats);
  if (turn.given && !state.revising)
    return [turn.given_words?.join(", "), others && _("waiting for {names}", { names: others })]
      .filter(Boolean)
      .join(" · ");
  if (state.making.length) return state.making.map((move) => move.words).join(", ");
  const { asks, frames } = state.replay;
  if (!asks || turn.before_go || state.at < frames.length - 1) return "";
  return _("Asked for: {asked}", { asked: asks });
}

/** Return a sentence about the connection and about a request in progress, or "". */
export function connection(state: TableController): string {
  if (state.link === "lost") return _("The connection is lost. Trying again; your moves are safe.");
  if (state.sending === "again") return _("No answer yet. Your move is being sent again; it will be played only once.");
  if (state.stale) return _("Scorebook has been updated. Reload the page to continue.");
  return "";
}
