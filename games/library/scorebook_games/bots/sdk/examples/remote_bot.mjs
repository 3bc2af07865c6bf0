// A bot that stays on your machine and plays over HTTP: every legal move is equally likely. Needs Node 18 or newer and
// no packages.
//
//   SCOREBOOK_TOKEN=sb_… node remote_bot.mjs https://scorebook.example.org [palace [sensible]]
//
// With a kind it opens a game against a built-in bot first, and ends when that one is over. It is explained in
// docs/how-to/run-a-remote-bot.md.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const [server, kind, opponent = "sensible"] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${process.env.SCOREBOOK_TOKEN}`, "Content-Type": "application/json" };
const any = (list) => list[Math.floor(Math.random() * list.length)];
const MY_GAMES = "me/games/events/";
const playing = new Set();
let awaited = null;

class Refused extends Error {
  constructor(status, error = {}) {
    super(`${status} ${error.code}: ${error.sentence}`);
    Object.assign(this, { status, ...error });
  }
}

async function open(path, options = {}, accept = "application/json") {
  const answer = await fetch(new URL(`/api/v1/${path}`, server), {
    redirect: "error",
    ...options,
    headers: { ...headers, Accept: accept },
  });
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Refused(answer.status, said.error);
}

const get = async (path) => (await open(path)).json();

/** Send until an answer comes: with its key a request counts once, however often it is sent. */
async function post(path, body) {
  const sent = JSON.stringify({ ...body, idempotency_key: randomUUID() });
  for (let tries = 0; ; tries++) {
    try {
      return await (await open(path, { method: "POST", body: sent })).json();
    } catch (error) {
      if (error.code === "too_soon") await sleep(error.wait_ms);
      else if (error.status < 500 && error.status !== 429) throw error;
      else await sleep(Math.min(10_000, 200 * 2 ** tries));
    }
  }
}

/** The lines of a stream, which is opened again whenever it ends or is lost. */
async function* follow(path) {
  for (let tries = 0; ; tries++) {
    try {
      const stream = await open(path, {}, "application/x-ndjson");
      let rest = "";
      for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) yield JSON.parse(line);
        tries = 0;
      }
    } catch (error) {
      if ([401, 403, 404].includes(error.status)) throw error;
      console.error(`${path} is opened again: ${error.message}`);
    }
    await sleep(Math.min(10_000, 200 * 2 ** tries));
  }
}

/** A whole bundle: after an assign it goes on, and what may follow is asked for. */
async function bundle(game, ask) {
  const moves = [];
  for (let now = ask; now?.beat === ask.beat; ) {
    const ends = [...now.legal.moves, ...["grab", "finish"].filter((word) => now.legal[word])];
    if (now.legal.roll) ends.push(`roll ${now.legal.dice}`);
    const move = any([...now.legal.assign, ...ends]);
    moves.push(move);
    if (!now.legal.assign.includes(move)) break;
    const query = new URLSearchParams(moves.map((each) => ["after", each]));
    now = (await get(`games/${game}/asks/?${query}`)).ask;
  }
  return moves;
}

async function answer(game, line) {
  if (line.type === "hello") {
    // It begins a live game, and checks in for a game of a season. Most other games have started.
    await post(`games/${game}/ready/`, {}).catch((error) => {
      if (error.code !== "started") throw error;
    });
  }
  if (line.type === "move")
    await post(`games/${game}/moves/`, { move: any(line.legal), expected_version: line.version });
  if (line.type === "bundle")
    await post(`games/${game}/bundles/`, { beat: line.beat, moves: await bundle(game, line) });
}

async function play(game) {
  if (playing.has(game)) return;
  playing.add(game);
  try {
    await playOn(game);
  } catch (error) {
    // 403 and 404: the bot has lost its seat in this game, and its other games go on.
    if (error.status === 401 || game === awaited) throw error;
    console.error(`${game}: ${error.message}`);
  }
  playing.delete(game);
}

async function playOn(game) {
  for await (const line of follow(`games/${game}/asks/?want=events`)) {
    // A refusal is told and no more: the game has gone on, or our clock runs.
    await answer(game, line).catch((error) => console.error(`${game}: ${error.message}`));
    if (line.type !== "over") continue;
    console.log(JSON.stringify({ game, ...line }));
    if (game === awaited) process.exit(0);
    return;
  }
}

const stop = (error) => {
  console.error(error.message);
  process.exit(1);
};

const onlyBot = (player) => {
  if (!player.bot) throw new Error("This is not the token of a bot. Create one with the scopes read and play.");
};

try {
  if (kind) {
    onlyBot((await get(MY_GAMES)).lines[0]);
    const [bot] = await get("remote-bots/");
    awaited = (await post(`remote-bots/${bot.id}/games/`, { kind, built_in: [opponent] })).id;
  }
  for await (const line of follow(MY_GAMES)) {
    if (line.type === "player") onlyBot(line);
    if (line.type === "game") play(line.game).catch(stop);
  }
} catch (error) {
  stop(error);
}
