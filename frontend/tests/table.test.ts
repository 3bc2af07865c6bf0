import { listed } from "../src/gettext";
import { describe, expect, it } from "vitest";
import { clockText, dial, left, skewOf, spokenClock, whenText } from "../src/table/clock";
import { NotYours, Refused, TableController, without, type World } from "../src/table/controller.svelte";
import { dropsOf, FELT, moveOf, OWN } from "../src/table/drops";
import type { Named } from "../src/table/narrow";
import { isOfKey, neighbour, thingKey } from "../src/table/keys";
import { type Answer, deliver, LONGEST_MS, pause } from "../src/table/send";
import { headline, subline } from "../src/table/words";
import type { Clocks, Frame, Over, SeatClock, Turn } from "../src/types";
import { frame, replayOf } from "./sample";
import { touchesOf } from "./touches";

const NOW = Date.parse("2026-11-21T10:00:00Z");

function turnOf(legal: string[], more: Partial<Turn> = {}): Turn {
  return {
    seat: 0,
    version: 2,
    may_act: legal.length > 0,
    legal: legal.map((move) => ({ move, words: move })),
    any_of: null,
    pace: "turns",
    beat: null,
    given: null,
    waiting_for: [0],
    clock: { kind: null, deadline: null, at: new Date(NOW).toISOString(), seats: [] },
    present: [0],
    offers: [],
    may: { resign: true, offer_abort: false, abort_ends_game: false, rematch: false },
    over: null,
    ...more,
  };
}

interface FakeServer {
  controller: TableController;
  posts: { path: string; body: Record<string, unknown> }[];
  waits: number[];
  asked: string[];
  gone: string[];
}

/** A table whose server answers each POST with the next of `answers`; null is a lost connection. */
function served(
  turn: Turn,
  answers: (Answer | null)[] = [],
  more: Partial<{
    untried: Error;
    unasked: Error;
    confirm: boolean;
    kind: string;
    trial: Turn;
    malformed: { legal: boolean; sentence: string; clause: string };
    dice: string;
    seen: Record<string, unknown>;
    deliberate: boolean;
  }> = {},
): FakeServer {
  const made: Omit<FakeServer, "controller"> = { posts: [], waits: [], asked: [], gone: [] };
  const replay = { ...replayOf([2]), viewpoint: "0", turn };
  replay.game = { ...replay.game, kind: more.kind ?? "chinese_ten", status: "playing" };
  if (more.dice) replay.frames = [frame(2, {}, { observation: { players: [{ dice: more.dice, plates: [] }] } })];
  if (more.seen) replay.frames = [frame(2, {}, { observation: more.seen })];
  const world: World = {
    turn: (after) => (
      made.asked.push(`turn ${after.join(",")}`),
      more.untried ? Promise.reject(more.untried) : Promise.resolve(more.trial ?? turn)
    ),
    why: (move, after) => (
      made.asked.push(["why", move, ...(after.length ? ["after", ...after] : [])].join(" ")),
      more.unasked
        ? Promise.reject(more.unasked)
        : Promise.resolve(more.malformed ?? { legal: false, sentence: "You can capture.", clause: "CT-7" })
    ),
    post: (path, body) => {
      made.posts.push({ path, body });
      const answer = answers.shift();
      return answer ? Promise.resolve(answer) : Promise.reject(new TypeError("no connection"));
    },
    wait: (ms) => (made.waits.push(ms), Promise.resolve()),
    now: () => NOW,
    key: () => `key${made.posts.length}`,
    still: () => true,
    keepConfirm: () => undefined,
    go: (game) => void made.gone.push(game),
    deliberate: more.deliberate ?? false,
  };
  const controller = new TableController(replay, touchesOf(replay.game.kind), world, more.confirm);
  return { ...made, controller };
}

/** The frames of these versions, with a score for each. */
const scored = (versions: number[]) => {
  const { frames, scores } = replayOf(versions);
  return { frames, scores };
};

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 40; turns++) await Promise.resolve();
};
const taken = (turn: Turn): Answer => ({ status: 201, body: { version: 4, events: [], turn } });
const refused = (status: number, code: string, more: Record<string, unknown> = {}): Answer => ({
  status,
  body: { error: { status, code, sentence: `${code}!`, ...more } },
});

describe("sending a move", () => {
  it("plays at once what one touch leaves, with the version it answers and a key", async () => {
    const { controller, posts } = served(turnOf(["lay 7", "lay K"]), [taken(turnOf([], { version: 4 }))]);
    controller.touch("hand:7~0");
    await settle();
    expect(posts).toEqual([
      { path: "moves/", body: { move: "lay 7", expected_version: 2, frames: true, idempotency_key: "key0" } },
    ]);
    expect(controller.sending).toBe("");
    expect(controller.acting).toBe(false);
  });

  it.each([
    ["plates", ["place 9", "place 99", "place A"], { seats: [{ primary: ["9S", "9H", "AS"] }] }, "hand:9~1", "dish"],
    ["palace", ["play 8", "play 88", "take"], { seats: [{ hand: ["8S", "8H"] }] }, "hand:8~1", "pile"],
  ])("in %s plays exactly the chosen cards when the place is touched on which they are laid", async (...given) => {
    const [kind, legal, seen, card, place] = given;
    for (const deliberate of [false, true]) {
      const { controller, posts, asked } = served(turnOf(legal), [taken(turnOf([]))], { kind, seen, deliberate });
      controller.touch(card);
      controller.touch(place);
      await settle();
      expect([posts.map(({ body }) => body.move), asked]).toEqual([[legal[0]], []]);
    }
  });

  it("plans no place with the card that is laid on it, but takes it as a move of its own", () => {
    const seen = { seats: [{ primary: ["9S"] }] };
    const { controller } = served(turnOf([], { waiting_for: [1] }), [], { kind: "plates", seen });
    controller.touch("hand:9~0");
    controller.touch("dish");
    expect(controller.planned).toEqual(["hand:9~0"]);
    controller.touch("hand:9~0");
    controller.touch("dish");
    expect(controller.planned).toEqual(["dish"]);
  });

  it("leaves the choice to the player where such a touch can mean two moves", async () => {
    const seen = { seats: [{ primary: ["6S"] }] };
    const { controller, posts, asked } = served(turnOf(["place 6", "place 6!"]), [], { kind: "plates", seen });
    controller.touch("hand:6~0");
    controller.touch("dish");
    await settle();
    expect([posts, asked, controller.chosen]).toEqual([[], [], ["hand:6~0"]]);
  });

  it("waits in an introduction until all things of the only move are touched", async () => {
    const { controller, posts } = served(turnOf(["capture 7 2", "capture K 1"]), [taken(turnOf([]))], {
      deliberate: true,
    });
    controller.touch("hand:7~0");
    await settle();
    expect([posts, controller.chosen]).toEqual([[], ["hand:7~0"]]);
    controller.touch("spot:2");
    await settle();
    expect(posts.map(({ body }) => body.move)).toEqual(["capture 7 2"]);
  });

  it("sends the same key again until there is an answer, and slower each time", async () => {
    const { controller, posts, waits } = served(turnOf(["lay 7"]), [
      null,
      null,
      refused(503, "busy"),
      taken(turnOf([], { version: 4 })),
    ]);
    controller.touch("hand:7~0");
    await settle();
    expect(posts.map(({ body }) => body.idempotency_key)).toEqual(["key0", "key0", "key0", "key0"]);
    expect(waits).toEqual([pause(0), pause(1), pause(2)]);
    expect(pause(20)).toBe(LONGEST_MS);
  });

  it("asks why, and plays nothing else, where a chosen die does not fit", async () => {
    const turn = turnOf(["assign 3 A2 0.0", "roll 344"]);
    const { controller, posts, asked } = served(turn, [], { kind: "plate_spinner", dice: "344" });
    controller.touch("die:4~0");
    controller.touch("plate:A2");
    await settle();
    expect(posts).toEqual([]);
    expect(asked).toEqual(["why assign 4 A2 0"]);
    expect(controller.chosen).toEqual(["die:4~0"]);
  });

  it("takes no second touch while the first is on its way", async () => {
    const { controller, posts } = served(turnOf(["lay 7", "lay K"]), [taken(turnOf([], { version: 4 }))]);
    controller.touch("hand:7~0");
    controller.touch("hand:K~0");
    controller.touch("hand:7~0");
    await settle();
    expect(posts).toHaveLength(1);
  });

  it("waits as long as it is told where it came too soon, once", async () => {
    const { controller, posts, waits } = served(turnOf(["lay 7"]), [
      refused(429, "too_soon", { wait_ms: 412 }),
      taken(turnOf([], { version: 4 })),
    ]);
    controller.touch("hand:7~0");
    await settle();
    expect([posts.length, waits]).toEqual([2, [412]]);
  });

  it("says so when the game had moved on; the stream brings what has changed", async () => {
    const { controller, asked } = served(turnOf(["lay 7"]), [refused(409, "stale_version", { version: 9 })]);
    controller.touch("hand:7~0");
    await settle();
    expect(controller.notice).toContain("changed before your move arrived");
    expect(asked).toEqual([]);
  });

  it("shows the position after it by the answer alone, and asks for nothing", async () => {
    const answer = { version: 4, events: [], turn: turnOf([], { version: 4 }), since: 2, ...scored([3, 4]) };
    const { controller, asked } = served(turnOf(["lay 7"]), [{ status: 201, body: answer }]);
    controller.touch("hand:7~0");
    await settle();
    expect(controller.replay.frames.map(({ version }) => version)).toEqual([2, 3, 4]);
    expect([controller.replay.version, controller.at, asked]).toEqual([4, 2, []]);
    controller.take({ ...answer, turn: turnOf(["lay 7"], { version: 2 }) }); // what the stream brings is the same
    expect(controller.replay.frames).toHaveLength(3);
    expect(controller.turn?.version).toBe(4);
  });

  it("whose answer is lost with the connection comes by the stream, and nothing twice", async () => {
    const answer = { version: 4, events: [], turn: turnOf([], { version: 4 }), since: 2, ...scored([3, 4]) };
    const { controller, asked } = served(turnOf(["lay 7"]), [null, { status: 201, body: answer }]);
    controller.touch("hand:7~0");
    controller.change({ link: "lost" });
    controller.take(answer); // by the next stream, before the move was sent again
    controller.change({ link: "open" });
    expect(controller.turn?.version).toBe(4);
    await settle();
    expect(controller.replay.frames.map(({ version }) => version)).toEqual([2, 3, 4]);
    expect([controller.replay.version, controller.sending, asked]).toEqual([4, "", []]);
  });

  it("leaves a seat that is no longer the reader's", async () => {
    const { controller, gone } = served(turnOf(["lay 7"]), [refused(403, "not_your_seat")]);
    controller.touch("hand:7~0");
    await settle();
    expect(gone).toEqual([""]);
  });

  it("shows the rule against an illegal one", async () => {
    const { controller } = served(turnOf(["lay 7"]), [refused(409, "illegal_move", { clause: "CT-7" })]);
    controller.touch("hand:7~0");
    await settle();
    expect(controller.reason).toEqual({ sentence: "illegal_move!", clause: "CT-7" });
  });

  it("does not go on for ever where the server broke", async () => {
    const answers: Answer[] = [];
    const answer = await deliver({
      post: () => (answers.push({ status: 500, body: {} }), Promise.resolve(answers[0] as Answer)),
      wait: () => Promise.resolve(),
      again: () => undefined,
    });
    expect([answer.status, answers.length]).toEqual([500, 1]);
  });
});

describe("what people offer one another", () => {
  const ended = (more: Partial<Over> = {}): Turn =>
    turnOf([], { version: 4, over: { words: "The turn limit was reached.", result: null, rematch: null, ...more } });

  it("goes with a key of its own each time, and not twice while it is on its way", async () => {
    const { controller, posts } = served(turnOf([]), [taken(turnOf([])), taken(turnOf([]))]);
    controller.act("offer-abort");
    controller.act("offer-abort");
    await settle();
    controller.act("decline-abort");
    await settle();
    expect(posts).toEqual([
      { path: "offer-abort/", body: { idempotency_key: "key0" } },
      { path: "decline-abort/", body: { idempotency_key: "key1" } },
    ]);
  });

  it("goes after a move that is on its way, and is not lost", async () => {
    const { controller, posts } = served(turnOf([]), [taken(turnOf([])), taken(turnOf([]))]);
    controller.act("ready");
    controller.act("offer-abort");
    await settle();
    expect(posts.map(({ path }) => path)).toEqual(["ready/", "offer-abort/"]);
  });

  it("leads to the next game when all want it, whoever said so last", async () => {
    const { controller, gone } = served(turnOf([]), [taken(ended({ rematch: "9KQ0AB" }))]);
    controller.turned(ended());
    expect([headline(controller), subline(controller), gone]).toEqual([
      "The game is over",
      "The turn limit was reached.",
      [],
    ]);
    controller.act("rematch");
    await settle();
    expect(gone).toContain("9KQ0AB");
  });

  it("lets who has left look on as everybody does", async () => {
    const { controller, gone } = served(turnOf([]), [
      taken(turnOf([], { may: { resign: false, offer_abort: false, abort_ends_game: false, rematch: false } })),
    ]);
    controller.act("resign");
    await settle();
    expect(gone[0]).toBe("");
  });
});

describe("choosing", () => {
  it("lays a move out first where moves are confirmed, and puts it back", async () => {
    const { controller, posts } = served(turnOf(["lay 7"]), [taken(turnOf([], { version: 4 }))], { confirm: true });
    controller.touch("hand:7~0");
    expect(controller.staged?.move).toBe("lay 7");
    controller.back();
    expect([controller.staged, controller.chosen]).toEqual([null, []]);
    controller.touch("hand:7~0");
    controller.confirm();
    await settle();
    expect(posts).toHaveLength(1);
  });

  it("asks the rules about a card of which no move speaks, and plays nothing", async () => {
    const { controller, asked, posts } = served(turnOf(["capture 6 1"]));
    controller.touch("hand:Q~0");
    await settle();
    expect(asked).toEqual(["why lay Q"]);
    expect(controller.reason?.clause).toBe("CT-7");
    expect(posts).toEqual([]);
  });

  it("does not tell a player how programs write moves", async () => {
    const malformed = { legal: false, sentence: "A move is written lay K.", clause: "" };
    const { controller } = served(turnOf(["capture 6 1"]), [], { malformed });
    controller.touch("hand:Q~0");
    await settle();
    expect(controller.reason).toEqual({ sentence: "That is no move here.", clause: "" });
  });

  it("asks once more before something breaks, whatever the setting", () => {
    const turn = turnOf([], {
      may_act: true,
      legal: [{ move: "grab", words: "Grab meeple 1: one plate breaks", grave: true }],
    });
    const { controller, posts } = served(turn, [], { kind: "plate_spinner" });
    controller.touch("meeple");
    expect(controller.staged?.move).toBe("grab");
    expect(posts).toEqual([]);
  });

  it("keeps what is chosen where the moves stay the same, and lets go where they don't", () => {
    const { controller } = served(turnOf(["capture 3 1", "capture 3 3"]));
    controller.touch("hand:3~0");
    controller.turned(turnOf(["capture 3 1", "capture 3 3"], { version: 3 }));
    expect(controller.chosen).toEqual(["hand:3~0"]);
    controller.turned(turnOf(["capture 3 1"], { version: 2 }));
    expect(controller.moves).toHaveLength(2); // older than the present turn
    controller.turned(turnOf(["capture 3 1"], { version: 4 }));
    expect(controller.chosen).toEqual([]);
  });
});

describe("Plate Spinner", () => {
  const spinning = (legal: string[], more: Partial<Turn> = {}): Turn =>
    turnOf([...legal, "roll 335"], { pace: "beats", beat: 4, any_of: { move: "roll 335", wait_ms: 0 }, ...more });

  it("rolls all, or the others than those chosen", () => {
    expect(without("roll 1335", [])).toBe("roll 1335");
    expect(without("roll 1335", ["die:3~1", "die:5~0"])).toBe("roll 13");
    expect(without("roll 3", ["die:3~0"])).toBe("");
  });

  it("puts a bundle together from what the server says may follow, and gives it for its beat", async () => {
    const trial = spinning([], {
      legal: [{ move: "roll 33", words: "" }],
      any_of: { move: "roll 33", wait_ms: 0 },
      observation: { players: [] },
    });
    const turn = spinning(["assign 5 A1 0"]);
    (turn.legal[0] as { goes_on?: boolean }).goes_on = true;
    const given = spinning([], { given: ["assign 5 A1 0", "roll 33"], waiting_for: [1] });
    const { controller, posts, asked } = served(
      turn,
      [{ status: 202, body: { beat: 4, waiting_for: [1], turn: given } }],
      { kind: "plate_spinner", trial },
    );
    controller.touch("die:5~0");
    controller.touch("plate:A1");
    await settle();
    expect(asked).toEqual(["turn assign 5 A1 0"]);
    controller.roll(true);
    await settle();
    expect(posts[0]?.body).toMatchObject({ beat: 4, moves: ["assign 5 A1 0", "roll 33"] });
    expect(headline(controller)).toBe("Moves submitted");
    controller.change({ revising: true });
    expect(controller.acting).toBe(true);
  });

  describe("a bundle that the server does not try", () => {
    const stays: Turn = { ...spinning(["assign 5 A1 0", "assign 3 A1 0"]), version: 2 };
    stays.legal.forEach((move) => (move.goes_on = move.move !== "roll 335"));
    const next = spinning(["assign 6 A1 0"], { version: 7, beat: 5 });
    const begun = { making: stays.legal.slice(0, 1), trial: stays };
    const refusal = (status: number, code: string): Refused => new Refused({ status, code, sentence: `${code}!` });

    async function refusedBy(untried: Error, turn: Turn): Promise<FakeServer> {
      const made = served(stays, [], { kind: "plate_spinner", untried });
      made.controller.change(begun);
      made.controller.choose({ ...stays.legal[1]!, things: [] });
      made.controller.turned(turn); // the stream is faster than the refusal
      await settle();
      return made;
    }

    it("is put back where the game has moved on, and the present turn has come by the stream", async () => {
      const { controller } = await refusedBy(refusal(409, "illegal_move"), next);
      expect(controller.notice).toBe(
        "The game has changed, so your unfinished moves were undone. This is the current position.",
      );
      expect([controller.making, controller.trial, controller.sending]).toEqual([[], null, ""]);
      expect(controller.turn?.beat).toBe(5);
      expect(controller.moves.map(({ move }) => move)).toEqual(["assign 6 A1 0"]);
    });

    it("is put back with the rule's sentence where the game stands as it stood", async () => {
      const { controller } = await refusedBy(refusal(409, "illegal_move"), stays);
      expect(controller.notice).toBe("illegal_move!");
      expect(controller.making).toEqual([]);
    });

    it("is part of the question why a further move is not legal", async () => {
      const { controller, asked } = served(stays, [], { kind: "plate_spinner", trial: stays });
      controller.change({ making: stays.legal.slice(0, 1), trial: stays, chosen: ["die:5~0"] });
      controller.misplace("die:5~0", "plate:A2");
      await settle();
      expect(asked).toEqual(["why assign 5 A2 0 after assign 5 A1 0"]);
    });

    it("is put back, too, where the server answers about a beat that is over", async () => {
      const { controller } = served(stays, [], { kind: "plate_spinner", trial: stays });
      controller.choose({ ...stays.legal[0]!, things: [] });
      controller.turned(next);
      await settle();
      expect([controller.making, controller.trial, controller.turn?.beat]).toEqual([[], null, 5]);
      expect(controller.notice).toContain("The game has changed");
    });

    it("stays where the server is only busy, and says what it said", async () => {
      const { controller } = await refusedBy(refusal(503, "busy"), stays);
      expect(controller.notice).toBe("busy!");
      expect(controller.making).toEqual(begun.making);
    });

    it("stays where there was no answer at all: that alone is a server that could not be asked", async () => {
      const { controller } = await refusedBy(new TypeError("no connection"), stays);
      expect(controller.notice).toBe("The server could not be reached. Try again.");
      expect(controller.making).toEqual(begun.making);
    });

    it("leads to the page that everybody sees where the seat is lost", async () => {
      const { gone } = await refusedBy(new NotYours(), stays);
      expect(gone).toEqual([""]);
    });
  });

  it("tells why the rules could not be asked about a touch", async () => {
    const refused = served(turnOf(["lay 7"]), [], {
      unasked: new Refused({ status: 409, code: "game_over", sentence: "The game is over." }),
    });
    refused.controller.touch("hand:K~0");
    const lost = served(turnOf(["lay 7"]), [], { unasked: new TypeError("no connection") });
    lost.controller.touch("hand:K~0");
    await settle();
    expect([refused.controller.notice, lost.controller.notice]).toEqual([
      "The game is over.",
      "The server could not be reached. Try again.",
    ]);
  });

  it("knows when it may roll again, by the local clock", () => {
    const { controller } = served(spinning([], { any_of: { move: "roll 335", wait_ms: 650 } }), [], {
      kind: "plate_spinner",
    });
    expect(controller.restUntil).toBe(NOW + 650);
  });
});

describe("what comes from the stream", () => {
  it("is the turn that was made last, by its version and then by its time", () => {
    const later = { kind: null, deadline: null, at: new Date(NOW + 1000).toISOString(), seats: [] };
    const { controller } = served(turnOf(["lay 7"]));
    controller.turned(turnOf([], { clock: later, waiting_for: [1] }));
    controller.turned(turnOf(["lay 7"], { waiting_for: [0] }));
    expect(controller.turn?.waiting_for).toEqual([1]);
  });

  it("ends the game", () => {
    const { controller } = served(turnOf(["lay 7"]));
    const over: Over = { words: "The turn limit was reached.", result: null, rematch: null };
    controller.take({ since: 2, version: 3, ...scored([3]), turn: turnOf([], { version: 3, over }) });
    controller.ended({ status: "finished", outcome: null });
    expect(headline(controller)).toBe("The game is over");
    expect([controller.moves, controller.replay.game.status]).toEqual([[], "finished"]);
  });
});

describe("time", () => {
  it("is counted down by the server's clock", () => {
    const skew = skewOf("2026-11-21T10:00:30Z", NOW);
    expect(left("2026-11-21T10:01:00Z", NOW, skew)).toBe(30_000);
    expect(left("2026-11-21T10:00:10Z", NOW, skew)).toBe(0);
    expect(left(null, NOW, skew)).toBeNull();
  });

  it("is shown as people read it", () => {
    expect([38_000, 61_500, 3_900_000, 2 * 86_400_000 + 4 * 3_600_000].map(clockText)).toEqual([
      "0:38",
      "1:02",
      "1:05:00",
      "2 d 4 h",
    ]);
  });

  it("is said aloud at 60, 30 and 10 seconds only", () => {
    expect([spokenClock(60_200, 59_950), spokenClock(59_950, 59_700), spokenClock(10_100, 9_900)]).toEqual([
      "60 seconds left.",
      "",
      "10 seconds left.",
    ]);
    expect(spokenClock(100_000, 8_000)).toBe("10 seconds left."); // a page in the background counts seldom
  });
});

it("says whom the game waits for, and when it is a race", () => {
  const state = (turn: Turn): TableController => served(turn).controller;
  expect(headline(state(turnOf([], { waiting_for: [1] })))).toBe("Waiting for Laura");
  expect(headline(state(turnOf(["throw 8"], { waiting_for: [1] })))).toBe("A race: you may move before Laura does");
  const drafting = served(turnOf(["draft P1"], { pace: "beats" }), [], { seen: { to_act: [0] } }).controller;
  expect(headline(drafting)).toBe("Your turn"); // nobody else acts then, though the game is in beats
  expect(listed(["Martha", "Laura", "Otto"])).toBe("Martha, Laura and Otto");
});

it("walks round the things by arrow, and knows the keys of cards", () => {
  expect([neighbour(-1, 1, 3), neighbour(-1, -1, 3), neighbour(2, 1, 3), neighbour(0, -1, 3)]).toEqual([0, 2, 0, 2]);
  expect([thingKey("0"), thingKey("t"), thingKey("8"), thingKey("x"), thingKey("Tab")]).toEqual([
    "T",
    "T",
    "8",
    "",
    "",
  ]);
});

it("takes no position and no seat for a rank", () => {
  const ids = ["hand:3~1", "card:3S", "die:3", "unseen:3", "seat:3", "hand:4"];
  expect(ids.filter((id) => isOfKey(id, "3"))).toEqual(["hand:3~1", "card:3S", "die:3"]);
});

describe("a seat's clock", () => {
  const clocksOf = (kind: Clocks["kind"]): Clocks => ({
    kind,
    at: new Date(NOW).toISOString(),
    deadline: null,
    seats: [],
  });
  const clock = (more: Partial<SeatClock>): SeatClock => ({
    seat: 0,
    running: true,
    move_ms: 30_000,
    bank_ms: 0,
    deadline: null,
    paused: "",
    ...more,
  });
  const shown = (kind: Clocks["kind"], more: Partial<SeatClock>, later = 0) =>
    dial(clocksOf(kind), clock(more), NOW + later, "Europe/Berlin");

  it("counts the move down first and then the bank", () => {
    expect(shown("live", { bank_ms: 300_000 }, 6000)).toMatchObject({
      text: "0:24",
      more: "and 5:00 in the bank",
      ms: 324_000,
    });
    expect(shown("live", { bank_ms: 300_000 }, 40_000)).toMatchObject({ text: "4:50", more: "from the bank" });
    expect(shown("live", { move_ms: 0, bank_ms: 1000 }, 9000)).toMatchObject({ text: "0:00", ms: 0 });
  });

  it("is marked where little is left, and says so by the time alone", () => {
    expect(shown("live", {}, 14_000)).toMatchObject({ low: false, more: "" });
    expect(shown("live", {}, 16_000)).toMatchObject({ low: true, more: "" });
    expect(shown("correspondence", { move_ms: 7 * 3_600_000 }, 3_600_001)).toMatchObject({ low: true, more: "" });
  });

  it("stands still where it is paused or not running, and says why", () => {
    const day = 86_400_000;
    const deadline = "2026-11-24T18:00:00Z";
    const paused = shown("correspondence", { move_ms: 2.2 * day, deadline, paused: "weekend" }, day);
    expect(paused).toMatchObject({
      text: "2 d 4 h",
      more: "until Tue 19:00, stopped: weekend",
      ms: null,
      low: false,
    });
    expect(shown("live", { running: false, bank_ms: 90_000 }, day)).toMatchObject({
      text: "1:30",
      more: "in the bank",
      ms: null,
    });
    expect(shown("live", { running: false })).toBeNull();
    expect(shown("correspondence", { running: false, move_ms: day })).toBeNull();
    expect(shown(null, {})).toBeNull();
  });

  it("tells a deadline in the viewer's zone, with its day where it is far", () => {
    expect(whenText("2026-11-24T18:00:00Z", NOW, "America/New_York")).toBe("Tue 13:00");
    expect(whenText("2026-12-01T18:00:00Z", NOW, "Europe/Berlin")).toBe("Tue 1 Dec 19:00");
  });
});

describe("a planned move", () => {
  const waiting = (more: Partial<Turn> = {}): Turn => turnOf([], { waiting_for: [1], ...more });
  const mine = (legal: string[]): Turn => turnOf(legal, { version: 4 });

  it("is chosen while the other one thinks, and sent at the player's turn", async () => {
    const { controller, posts } = served(waiting(), [taken(turnOf([], { version: 6 }))]);
    for (const thing of ["hand:7~0", "spot:2"]) controller.touch(thing);
    expect([controller.planned, posts]).toEqual([["hand:7~0", "spot:2"], []]);
    controller.turned(mine(["capture 7 1", "capture 7 2", "lay K"]));
    await settle();
    expect(posts.map(({ body }) => body.move)).toEqual(["capture 7 2"]);
    expect(controller.planned).toEqual([]);
  });

  it("is not sent if it is not legal then, which is said", async () => {
    const { controller, posts } = served(waiting());
    controller.touch("hand:7~0");
    controller.turned(mine(["lay K"]));
    await settle();
    expect([posts, controller.planned]).toEqual([[], []]);
    expect(controller.notice).toBe("The rules do not allow the move that you had planned.");
  });

  it("becomes the choice if its things leave one, and no rule is blamed for it", async () => {
    const { controller, posts } = served(waiting());
    controller.touch("hand:7~0");
    controller.turned(mine(["capture 7 1", "capture 7 2"]));
    await settle();
    expect([posts, controller.notice, controller.chosen]).toEqual([[], "", ["hand:7~0"]]);
  });

  it("made by a drop has the place only if the move mentions it", () => {
    const dropped = (kind: string, id: string, onto: string): string[] => {
      const { controller } = served(waiting(), [], { kind });
      controller.misplace(id, onto);
      return controller.planned;
    };
    expect(dropped("chinese_ten", "hand:7~0", "spot:2")).toEqual(["hand:7~0", "spot:2"]);
    expect(dropped("plates", "hand:6~0", "dish")).toEqual(["hand:6~0"]);
    expect(dropped("palace", "hand:8~0", "pile")).toEqual(["hand:8~0"]);
  });

  it("is asked about by its own move, not by that of the place where it was dropped", async () => {
    const { controller, asked } = served(turnOf(["take"]), [], { kind: "palace" });
    controller.misplace("hand:8~0", "stack");
    await settle();
    expect(asked).toEqual(["why play 8"]);
  });

  it("that is legal but was dropped beside its place is shown the places that light up", async () => {
    const { controller, asked } = served(turnOf(["play 8"]), [], { kind: "palace" });
    controller.misplace("hand:8~0", "stack");
    await settle();
    expect([controller.reason?.sentence, asked]).toEqual(["Drop it on a place that lights up.", []]);
  });

  it("can be changed by a touch and taken back by a key", () => {
    const { controller } = served(waiting());
    for (const thing of ["hand:7~0", "hand:K~0", "hand:7~0"]) controller.touch(thing);
    expect(controller.planned).toEqual(["hand:K~0"]);
    controller.back();
    expect(controller.planned).toEqual([]);
  });

  it("exists only at a live pace, where one waits for others", async () => {
    const clock = { ...waiting().clock, kind: "correspondence" as const };
    for (const turn of [waiting({ clock }), waiting({ pace: "beats" }), waiting({ given: ["lay 7"] })]) {
      const { controller, asked } = served(turn);
      controller.touch("hand:7~0");
      await settle();
      expect([controller.planned, asked]).toEqual([[], ["why lay 7"]]);
    }
  });
});

describe("a dragged thing", () => {
  const named = (kind: string, moves: string[]): Named[] =>
    moves.map((move) => ({ move, words: move, things: touchesOf(kind).things(move, undefined) }));
  const places = (kind: string, moves: string[], ids: string[], tray: string[], frame?: Frame) =>
    dropsOf(named(kind, moves), { ids, tray, frame }, touchesOf(kind)).map(({ onto, moves: meant }) => [
      onto,
      ...meant.map(({ move }) => move),
    ]);

  it("can be dropped on the things with which legal moves use it", () => {
    const legal = ["capture 7 1", "capture 7 3", "capture 8 2"];
    expect(places("chinese_ten", legal, ["hand:7~0"], ["hand:7", "hand:8"])).toEqual([
      ["spot:1", "capture 7 1"],
      ["spot:3", "capture 7 3"],
    ]);
    expect(places("chinese_ten", legal, ["hand:K~0"], ["hand:K"])).toEqual([]);
  });

  it("can be dropped where the kind says that such a move goes, otherwise anywhere on the felt", () => {
    const [first] = replayOf([2]).frames as [Frame];
    const frame: Frame = { ...first, observation: { spots: [["2S"], [], ["3S"], ["4S"]] } };
    expect(places("chinese_ten", ["lay 7"], ["hand:7~0"], ["hand:7"], frame)).toEqual([["spot:2", "lay 7"]]);
    expect(places("palace", ["play 7", "play 77"], ["hand:7~0"], ["hand:7"])).toEqual([["pile", "play 7", "play 77"]]);
    expect(places("plates", ["place 99"], ["hand:9~0"], ["hand:9"])).toEqual([["dish", "place 99"]]);
    expect(places("plates", ["blind 2"], ["unseen:2"], ["unseen:2"])).toEqual([["dish", "blind 2"]]);
    const [play] = named("palace", ["play 7"]) as [Named];
    const dragged = { ids: ["hand:7~0"], tray: ["hand:7"], frame };
    expect(dropsOf([play], dragged, { things: () => [], zones: () => [] })).toEqual([{ onto: FELT, moves: [play] }]);
  });

  it("that is taken from the felt is dropped at the player's own seat", () => {
    expect(places("plate_spinner", ["draft R4"], ["plate:R4"], [])).toEqual([[OWN, "draft R4"]]);
    expect(places("plates", ["take"], ["dish"], [])).toEqual([[OWN, "take"]]); // not where it already lies
  });

  it("means the move with as many things, or else the only one", () => {
    const drop = (moves: string[]) => ({ onto: "pile", moves: named("palace", moves) });
    expect(moveOf(drop(["play 7", "play 77"]), ["hand:7~0"])?.move).toBe("play 7");
    expect(moveOf(drop(["play 77"]), ["hand:7~0"])?.move).toBe("play 77");
    expect(moveOf(drop(["play 7", "throw 7"]), ["hand:7~0"])).toBeNull();
  });
});
