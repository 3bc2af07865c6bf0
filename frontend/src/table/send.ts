/** A request that reaches the server once, however often the connection breaks: the same body, the same key. */

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
  /** Send it; rejects where there was no answer. */
  post(): Promise<Answer>;
  /** Resolve after so many ms. */
  wait(ms: number): Promise<void>;
  /** It has to be sent again. */
  again(): void;
}

export const LONGEST_MS = 8000;
const AGAIN = [502, 503, 504];

/** The pause before the n-th repetition, from 0. */
export function pause(tries: number): number {
  return Math.min(LONGEST_MS, 400 * 2 ** tries);
}

/** Send until there is an answer. One that asks to wait (429 with `wait_ms`) is sent once more, then. */
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

/** What went wrong, in the platform's one shape of an error; null where nothing did. */
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
