/** Sends a request that must count once. After a lost connection it sends the same body with the same key again. */

import { _ } from "../gettext";

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export interface Fault {
  status: number;
  code: string;
  sentence: string;
  clause?: string;
  wait_ms?: number;
  version?: number;
}

export interface Errand {
  /** Send the request. Rejects if there is no answer. */
  post(): Promise<Answer>;
  /** Resolve after `ms`. */
  wait(ms: number): Promise<void>;
  /** Called before each repetition. */
  again(): void;
}

export const LONGEST_MS = 8000;
const AGAIN = [502, 503, 504];

/** Return the pause before repetition `tries`, counted from 0. */
export function pause(tries: number): number {
  return Math.min(LONGEST_MS, 400 * 2 ** tries);
}

/** Send until there is an answer. After a 429 with `wait_ms`, wait and send once more. */
export async function deliver(errand: Errand): Promise<Answer> {
  let waited = false;
  for (let tries = 0; ; tries++) {
    const answer = await errand.post().catch(() => null);
    const wait = answer && faultOf(answer)?.wait_ms;
    if (wait && !waited) {
      waited = true;
      await errand.wait(wait);
    } else if (answer && !AGAIN.includes(answer.status)) {
      return answer;
    } else {
      errand.again();
      await errand.wait(pause(tries));
    }
  }
}

/** Return the error of an answer in the platform's format, or null if it succeeded. */
export function faultOf(answer: Answer): Fault | null {
  if (answer.status < 400) return null;
  const fault = answer.body.error as Fault | undefined;
  return (
    fault ?? {
      status: answer.status,
      code: "unknown",
      sentence: _("Something went wrong on our side. Try again in a moment."),
    }
  );
}
