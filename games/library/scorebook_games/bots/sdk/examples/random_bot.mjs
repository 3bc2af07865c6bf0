// Every legal move is equally likely: a bot without the SDK, in another language. Node 20 or newer.
//
//   scorebook-bot play --command "node random_bot.mjs" plates
//
// It reads a JSON object a line and writes one; docs/reference/bot-protocol.md has every field. What it logs goes to
// the standard error, for the standard output belongs to the protocol.

import { createInterface } from "node:readline";

const any = (list) => list[Math.floor(Math.random() * list.length)];

/** The answer to a line; nothing where none is wanted. */
function answer(line) {
  if (line.type === "hello") {
    console.error(`A game of ${line.kind} in seat ${line.seat}`);
    return { type: "ready", want: [] };
  }
  if (line.type === "move") return { move: any(line.legal), version: line.version };
  if (line.type === "bundle") return bundle(line);
}

/** One move of a bundle. After an assign the bundle goes on: with `more` we are asked again. */
function bundle({ legal, beat }) {
  const ends = [...legal.moves, ...["grab", "finish"].filter((word) => legal[word])];
  if (legal.roll) ends.push(`roll ${legal.dice}`);
  const move = any([...legal.assign, ...ends]);
  return legal.assign.includes(move) ? { moves: [move], beat, more: true } : { moves: [move], beat };
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = answer(JSON.parse(line));
  if (said) process.stdout.write(`${JSON.stringify(said)}\n`);
}
