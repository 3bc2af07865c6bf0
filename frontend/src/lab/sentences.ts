/** What happened, in sentences. */

import { _ } from "../gettext";
import type { Asking } from "./runner";
import type { Fault, FaultWords, Standing } from "./types";

/** The line of the bot's file in which a traceback ends; null if there is none. */
export function lineOf(output: string): number | null {
  const lines = [...output.matchAll(/File "bot\.py", line (\d+)/g)];
  const last = lines.at(-1)?.[1];
  return last === undefined ? null : Number(last);
}

const seconds = (ms: number): string => (ms / 1000).toFixed(ms % 1000 ? 1 : 0);

/** What is said while a bot takes long. */
export function slowSentence({ seat, version, limit }: Asking): string {
  if (!limit) return _("The built-in bot in seat {seat} is choosing a move.", { seat: seat + 1 });
  return _("The bot in seat {seat} has not answered for a second, after event {version}. It has {seconds} s.", {
    seat: seat + 1,
    version,
    seconds: seconds(limit),
  });
}

/** Why a bot that never answers was ended: the reason of its fault. Not translated, as all reasons of faults. */
export function hungReason({ limit }: Asking): string {
  return `The bot did not answer within ${limit} ms. Its worker was ended.`;
}

/** The moves of a decision. */
export const movesSentence = (moves: readonly string[] | null): string => (moves ? moves.join(", ") : _("nothing"));

export function faultTitle({ kind }: FaultWords): string {
  const titles: Record<string, string> = {
    start_timeout: _("The file did not load in time."),
    start_crashed: _("The file could not be run."),
    timeout: _("No answer in time."),
    cpu_limit: _("The processor time was used up."),
    crashed: _("The bot raised an error or ended."),
    bad_reply: _("The answer could not be read."),
    illegal_move: _("The rules do not allow this move."),
  };
  return titles[kind] ?? kind;
}

/** What a fault cost. */
export function costSentence({ cost }: Fault): string {
  if (cost === "forfeit") return _("This forfeits the game.");
  if (cost === "nothing") return _("It counts as a pass.");
  return _("A random move was played instead: {move}", { move: cost });
}

/** What a series says about the claims that are tested: better by 20 Elo, or not better. */
export function verdictSentence({ verdict, over, games }: Standing): string {
  if (verdict === "accepted") return _("Accepted: your bot is better than its opponent.");
  if (verdict === "rejected") return _("Rejected: your bot is not better by 20 Elo.");
  if (over) return _("Not decided after {games} games. Play more games.", { games });
  return _("Not decided yet.");
}
