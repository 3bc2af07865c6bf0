/**
 * Checks a downloaded game on the reader's own machine, with the browser's SHA-256 (docs/explanation/fairness.md). It
 * checks that the log is the one that was committed to and sealed. It does not check the rules: the server and `python
 * -m replays.verify` do that.
 */

import { _ } from "./gettext";

export interface Export {
  seed: string;
  salt: string;
  log: { version: number; head: string; batches: Batch[] };
}

export interface Batch {
  seq: number;
  count: number;
  times: number[];
  body: string;
}

export interface Finding {
  sound: boolean;
  words: string;
}

const GENESIS = new Uint8Array(32);

export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function together(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function sha256(...parts: Uint8Array[]): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", together(...parts)));
}

/**
 * Return the head after a batch: SHA-256 of the previous head, the body's length in four bytes, the body, and the
 * times.
 */
async function nextHead(head: Uint8Array, body: Uint8Array, times: readonly number[]): Promise<Uint8Array> {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, body.length);
  return sha256(head, length, body, new TextEncoder().encode(times.join(",")));
}

/** Decode a batch: its first byte is the codec, `j` for plain JSON or `z` for deflated JSON. */
async function eventsOf(body: Uint8Array): Promise<unknown[]> {
  const codec = String.fromCharCode(body[0] ?? 0);
  const rest = together(body.subarray(1));
  if (codec === "j") return JSON.parse(new TextDecoder().decode(rest)) as unknown[];
  if (codec !== "z") throw new Error(`The codec ${codec} is not known.`);
  const stream = new Blob([rest]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text()) as unknown[];
}

/** Check an export without the rules. `shown` is the number of events on the page. */
export async function check(file: Export, shown: number): Promise<Finding[]> {
  const { batches, head, version } = file.log;
  let made: Uint8Array = GENESIS;
  let at = 0;
  let inOrder = true;
  let first: unknown;
  for (const batch of batches) {
    const body = fromBase64(batch.body);
    const events = await eventsOf(body);
    first ??= events[0];
    inOrder &&= batch.seq === at && batch.count === events.length && batch.times.length === batch.count;
    at += events.length;
    made = await nextHead(made, body, batch.times);
  }
  const whole = inOrder && at === version && version === shown;
  const promise = hexOf(await sha256(bytesOf(file.salt), bytesOf(file.seed)));
  const promised = commitmentIn(first);
  return [
    whole
      ? { sound: true, words: _("The file has all {count} events of this page in the same order.", { count: version }) }
      : {
          sound: false,
          words: _("The file has {count} events, but this page shows {shown}, or they are in another order.", {
            count: at,
            shown,
          }),
        },
    hexOf(made) === head
      ? {
          sound: true,
          words: _("The chain of {count} SHA-256 heads is unbroken and ends in {head}….", {
            count: batches.length,
            head: head.slice(0, 12),
          }),
        }
      : {
          sound: false,
          words: _("The chain ends in {made}…, not in {head}…: a byte was changed.", {
            made: hexOf(made).slice(0, 12),
            head: head.slice(0, 12),
          }),
        },
    promise === promised
      ? {
          sound: true,
          words: _("Salt and seed give {promise}…, the commitment in the first event.", {
            promise: promise.slice(0, 12),
          }),
        }
      : {
          sound: false,
          words: _("Salt and seed give {promise}…, which is not the commitment: the seed was changed.", {
            promise: promise.slice(0, 12),
          }),
        },
  ];
}

function commitmentIn(opened: unknown): string {
  const facts = Array.isArray(opened) && opened[0] === "@opened" ? (opened[1] as { commitment?: unknown }) : {};
  return typeof facts.commitment === "string" ? facts.commitment : "";
}
