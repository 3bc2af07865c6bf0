/** The page's watchdog: what it does when the worker that runs the bots says nothing more. */

import { beforeEach, expect, test } from "vitest";
import { Broken, GRACE_MS, Hung, Runner, SLOW_MS, Stopped } from "../src/lab/runner";
import { FakeLink } from "./fakelink";

let link: FakeLink;
let runner: Runner;
const news = (id: number, ...said: unknown[]): void => runner.take({ id, news: JSON.stringify(said) });
const asking = (id: number, version: number, limit: number, events: unknown[] = [], faults: unknown[] = []): void =>
  news(id, "asking", 0, version, limit, events, faults);

beforeEach(() => {
  link = new FakeLink();
  runner = new Runner(link);
  runner.wake();
});

test("a request waits until Python has been loaded", async () => {
  const answer = runner.ask("words", { kind: "palace" });
  expect(link.posted).toEqual([]);
  runner.take({ ready: true });
  expect(link.posted).toEqual([{ id: 1, act: "words", ask: '{"kind":"palace"}' }]);
  expect(runner.state).toBe("working");
  runner.take({ id: 1, answer: '["view"]' });
  expect(await answer).toEqual(["view"]);
  expect(runner.state).toBe("ready");
});

test("a bot that never answers is ended after its time, with what is known of its game", async () => {
  runner.take({ ready: true });
  const answer = runner.ask("play", {});
  const [note, fault] = [
    { seat: 0, version: 2, text: "I begin" },
    { seat: 1, version: 3, kind: "crashed" },
  ];
  asking(1, 2, 11_000, [[0, ["dealt"]]]);
  news(1, "answered", note);
  asking(1, 5, 10_500, [[3, ["played", 0]]], [fault]);
  news(1, "heard", "looking");
  link.pass(10_500);
  expect(link.restarts()).toBe(0);
  link.pass(GRACE_MS);
  expect(link.restarts()).toBe(1);
  const hung = await answer.catch((error: unknown) => error);
  expect(hung).toBeInstanceOf(Hung);
  const { asking: what, game, printed } = hung as Hung;
  expect(what).toEqual({ seat: 0, version: 5, limit: 10_500 });
  const events = [
    [0, ["dealt"]],
    [3, ["played", 0]],
  ];
  expect(game).toEqual({ events, faults: [fault], notes: [note] });
  expect(printed).toBe("looking");
});

test("a bot that takes longer than a second is named, until it answers", () => {
  const slow: unknown[] = [];
  runner.changed = (_state, asking) => slow.push(asking);
  runner.take({ ready: true });
  runner.ask("play", {}).catch(() => undefined);
  asking(1, 7, 11_000);
  slow.length = 0;
  link.pass(SLOW_MS);
  expect(slow).toEqual([{ seat: 0, version: 7, limit: 11_000 }]);
  news(1, "answered");
  expect(slow.at(-1)).toBeNull();
  link.pass(20_000);
  expect(link.restarts()).toBe(0);
});

test("a built-in bot has no limit, and can be stopped", async () => {
  runner.take({ ready: true });
  const answer = runner.ask("play", {});
  asking(1, 3, 0);
  link.pass(100_000);
  expect(link.restarts()).toBe(0);
  runner.stop();
  await expect(answer).rejects.toBeInstanceOf(Stopped);
  expect(link.restarts()).toBe(1);
  expect(runner.state).toBe("loading");
});

test("what is asked while a new worker starts waits for it", () => {
  runner.take({ ready: true });
  runner.stop();
  runner.ask("play", {}).catch(() => undefined);
  const before = link.posted.length;
  runner.take({ ready: true });
  expect(link.posted.length).toBe(before + 1);
});

test("after Python has failed in a game a new worker starts", async () => {
  runner.take({ ready: true });
  const answer = runner.ask("play", {});
  runner.take({ id: 1, broken: "RuntimeError: out of memory" });
  await expect(answer).rejects.toBeInstanceOf(Broken);
  expect(link.restarts()).toBe(1);
});

test("where Python cannot be started it is not tried again and again", async () => {
  const answer = runner.ask("words", {});
  runner.take({ broken: "CompileError" });
  await expect(answer).rejects.toBeInstanceOf(Broken);
  expect(runner.state).toBe("broken");
  expect(link.restarts()).toBe(0);
});

test("a series hears how it stands, and ends when it is asked to", async () => {
  runner.take({ ready: true });
  const heard: string[] = [];
  const answer = runner.ask("series", {}, (each) => heard.push(each));
  runner.take({ id: 1, news: '{"games":2}' });
  runner.finish();
  expect(link.posted.at(-1)).toMatchObject({ act: "stop" });
  runner.take({ id: 1, answer: '{"games":4}' });
  expect(await answer).toEqual({ games: 4 });
  expect(heard).toEqual(['{"games":2}']);
});
