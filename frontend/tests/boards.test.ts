import { describe, expect, it } from "vitest";
import { spotName, tenBoard } from "../src/boards/kinds/chinese_ten/position";
import { palaceBoard, standText } from "../src/boards/kinds/palace/position";
import { needText, spinnerBoard } from "../src/boards/kinds/plate_spinner/position";
import { platesBoard, turnText, unseenText } from "../src/boards/kinds/plates/position";
import { fishBoard, handName, rollName } from "../src/boards/kinds/platinum_fish/position";
import { touches as palaceTouches } from "../src/boards/kinds/palace/touches";
import { touches as platesTouches } from "../src/boards/kinds/plates/touches";
import { touches as spinnerTouches } from "../src/boards/kinds/plate_spinner/touches";
import { seatingOf } from "../src/boards/parts/seating";
import { frame } from "./sample";
import type { Frame } from "../src/types";

const ten = {
  seat: 1,
  turn: 0,
  hand: ["2S", "KH"],
  hand_counts: [3, 2],
  spots: [["4S", "8H"], [], ["AS", "2S", "3S", "4S"], ["JD"]],
  flipped: null,
  deck: 12,
  piles: [["9S", "AH", "5S", "5D"], []],
  points: [35, 0],
};

const plates = {
  phase: "play",
  round: 2,
  rounds: 3,
  dealer: 0,
  to_act: [1],
  turns: 7,
  plate: ["KS", "9H", "9S"],
  run: 2,
  cleared: ["2S"],
  out: null as number | null,
  last_turns: 0,
  aside_count: 16,
  seats: [
    { primary: null, primary_count: 4, revealed: ["3S"], unseen: ["??", null, "??", "??"], points: [21], total: 21 },
    { primary: ["4S"], primary_count: 1, revealed: [], unseen: ["??", "??", "??", "??"], points: [0], total: 0 },
  ],
};

const fish = {
  seat: 1,
  turn: 0,
  turns: 5,
  to_act: [0],
  hand: ["4H", "7S"],
  hand_counts: [3, 2],
  shown: [["KH"], ["7S"]],
  matches: [
    [
      ["2H", "2D"],
      ["TS", "TC"],
    ],
    [],
  ],
  scores: [2, 0],
  deck: 12,
  deck_order: null as string[] | null,
  discard: ["5C", "3C"],
  dice: [5, 6],
  ranks: ["5", "6", "J"],
  fish: [] as string[] | null,
};

const palace = {
  phase: "play",
  turn: 1 as number | null,
  direction: 1,
  turns: 7,
  to_act: [1],
  stack: 12,
  pile: ["5S", "7H", "7D"],
  current: "7" as string | null,
  run: 2,
  demanded: false,
  cleared: ["2S"],
  thrown: null,
  uncalled: [] as number[],
  out: [] as number[],
  options: { ace: "threat", placings: "winner" },
  seats: [
    {
      hand: null,
      hand_count: 4,
      upper: ["3S", "**", "KH"],
      under: ["??", "??", "??"],
      drawn: null,
      cards: 10,
      place: null,
    },
    {
      hand: ["4S"],
      hand_count: 1,
      upper: [],
      under: [null, "8S", null] as (string | null)[],
      drawn: "9D",
      cards: 3,
      place: null,
    },
  ],
};

describe("the seating", () => {
  it("puts the eyes' own seat at the near edge and the others clockwise", () => {
    expect(seatingOf("2", 4)).toEqual({ near: 2, others: [3, 0, 1] });
    expect(seatingOf("public", 3)).toEqual({ near: 0, others: [1, 2] });
  });

  it("is that of one's own game where one looks with no seat's eyes", () => {
    expect(seatingOf("all", 2, 1)).toEqual({ near: 1, others: [0] });
    expect(seatingOf("0", 2, 1)).toEqual({ near: 0, others: [1] });
  });
});

describe("the board of Chinese Ten", () => {
  const captured = frame(9, { type: "captured", seat: 0, card: "5S", spot: 2, taken: "5D" }, { observation: ten });

  it("shows the hand of the chosen eyes and closes the others", () => {
    const board = tenBoard(captured, "1");
    expect(board.seats.map((seat) => seat.hand)).toEqual([null, ["2S", "KH"]]);
    expect(tenBoard(frame(9, {}, { observation: { ...ten, hand: null } }), "public").seats[1]?.hand).toBeNull();
  });

  it("shows every hand where all eyes are open", () => {
    const open = { ...ten, hand: null, hands: [["7S"], ["2S", "KH"]] };
    expect(tenBoard(frame(9, {}, { observation: open }), "all").seats.map((seat) => seat.hand)).toEqual([
      ["7S"],
      ["2S", "KH"],
    ]);
  });

  it("shows what was taken, by whom and from where", () => {
    const board = tenBoard(captured, "1");
    expect(board.seats[0]).toMatchObject({ won: ["5S", "5D"], pile: 4, fresh: true });
    expect(board.spots[1]).toMatchObject({ cards: [], taken: true, name: "Spot 2: empty" });
  });

  it("keeps the top cards of a deep spot in sight and counts the rest", () => {
    expect(tenBoard(captured, "1").spots[2]).toMatchObject({ cards: ["2S", "3S", "4S"], below: 1 });
    expect(spotName(1, ["4S", "8H"])).toBe("Spot 1: 8 of hearts, covering 4 of spades");
  });
});

describe("the board of Plates", () => {
  const placed = frame(9, { type: "placed", seat: 0, primary: ["9S"], revealed: ["9H"] }, { observation: plates });
  const names = ["Martha", "Laura"];

  it("names the unseen cards once a round has shown them (PL-21)", () => {
    expect(unseenText(["??", null, "??", "??"])).toBe("3 unseen");
    expect(unseenText([null, "3S", null, "TH"])).toBe("unseen, now shown: 3 of spades, ten of hearts");
    expect(unseenText([null, null, null, null])).toBe("0 unseen");
  });

  it("marks the cards that were just placed and names the run", () => {
    expect(platesBoard(placed, names)).toMatchObject({ run: "9 9 · 2 in a row", cleared: 1, aside: 16 });
  });

  it("says which turn it is and when the round is cut short", () => {
    expect(turnText(274, { rounds: 3, turn_limit: 300 })).toBe("turn 275 of at most 300");
    expect(turnText(300, { turn_limit: 300 })).toBe("turn 300 of at most 300");
    expect(turnText(7, {})).toBe("turn 8");
  });

  it("says who is out and how many turns are left", () => {
    const out = frame(9, {}, { observation: { ...plates, out: 0, last_turns: 1 } });
    expect(platesBoard(out, names).note).toBe("Martha has no cards left: 1 more turn.");
    expect(platesBoard(placed, names).note).toBe("");
  });

  it("tells an empty plate from a cleared one", () => {
    const bare = { ...plates, plate: [], run: 0 };
    expect(platesBoard(frame(9, { type: "cleared", seat: 0, count: 4 }, { observation: bare }), names).run).toBe(
      "cleared",
    );
    expect(platesBoard(frame(9, { type: "dealt" }, { observation: bare }), names)).toMatchObject({
      run: "empty",
      name: "The plate is empty",
    });
  });
});

describe("the board of Platinum Fish", () => {
  const rolled = frame(9, { type: "rolled", seat: 0 }, { observation: fish });

  it("shows of a closed hand the cards that everybody has seen", () => {
    const [other, own] = fishBoard(rolled, undefined, "1").seats;
    expect(other).toMatchObject({ hand: ["KH", null, null], ranks: "2 10", score: 2, turn: true, called: false });
    expect(own?.hand).toEqual(["4H", "7S"]);
    expect(other && handName(other)).toBe("king of hearts and 2 hidden");
    const seats = fishBoard(frame(9, {}, { observation: { ...fish, hand: null } }), undefined, "public").seats;
    expect(seats[1]?.hand).toEqual(["7S", null]);
  });

  it("shows every hand and the searched deck where all eyes are open", () => {
    const open = { ...fish, hand: null, hands: [["AS"], ["4H"]], deck_order: ["9S", "5H"], fish: ["5"] };
    const board = fishBoard(frame(9, { type: "searched" }, { observation: open }), undefined, "all");
    expect(board.seats.map((seat) => seat.hand)).toEqual([["AS"], ["4H"]]);
    expect(board.order).toEqual(["9S", "5H"]);
  });

  it("strikes out the ranks that the deck lacks and says so", () => {
    const board = fishBoard(rolled, undefined, "1");
    expect(board.ranks.map((rank) => rank.out)).toEqual([true, true, true]);
    expect(rollName(board)).toBe("Rolled 5 and 6: 5, 6, jack. The deck holds no 5, no 6 and no jack");
    const some = fishBoard(frame(9, {}, { observation: { ...fish, fish: ["6"] } }), undefined, "1");
    expect(some.ranks.map((rank) => rank.out)).toEqual([true, false, true]);
    expect(some.said).toBe("The deck holds no 5 and no jack");
  });

  it("strikes out nothing where only the roller knows what the deck holds", () => {
    const hidden = fishBoard(frame(9, {}, { observation: { ...fish, fish: null } }), undefined, "1");
    expect(hidden.ranks.some((rank) => rank.out)).toBe(false);
    expect(hidden.said).toBe("The roller searches the deck");
  });

  it("keeps the roll in sight for the move that ends the turn, and no longer", () => {
    const next = { ...fish, turn: 1, to_act: [1], dice: [], ranks: [], fish: [] };
    const declined = frame(10, { type: "declined", seat: 0 }, { observation: next });
    expect(fishBoard(declined, rolled, "1").dice).toEqual([5, 6]);
    expect(fishBoard(frame(11, { type: "took", seat: 1 }, { observation: next }), declined, "1")).toMatchObject({
      dice: [],
      said: "",
    });
  });

  it("marks the matches that came with the event and who is called on out of turn", () => {
    const asked = { ...fish, to_act: [1] };
    const board = fishBoard(
      frame(9, { type: "salvaged", seat: 0, card: "TS", mate: "TC" }, { observation: asked }),
      undefined,
      "1",
    );
    expect(board.seats.map((seat) => [seat.fresh, seat.called])).toEqual([
      [1, false],
      [0, true],
    ]);
    const dealt = { type: "dealt", seat: 0, matches: fish.matches[0] };
    expect(fishBoard(frame(9, dealt, { observation: fish }), undefined, "1").seats[0]?.fresh).toBe(2);
  });
});

describe("the board of Palace", () => {
  const names = ["Martha", "Laura"];
  const played = frame(9, { type: "played", seat: 0, cards: ["7H", "7D"] }, { observation: palace });
  const at = (changes: object, event: Record<string, unknown> = { type: "took", seat: 0, count: 3 }) =>
    palaceBoard(frame(9, event, { observation: { ...palace, ...changes } }), names);

  it("lays the upper palace over the lower and keeps the places of cards that have left", () => {
    const board = palaceBoard(played, names);
    expect(board.seats[0]?.stands[1]).toEqual({ over: "**", under: "??" });
    expect(board.seats[1]?.stands).toEqual([
      { over: null, under: null },
      { over: null, under: "8S" },
      { over: null, under: null },
    ]);
  });

  it("tells what lies in each place of a palace", () => {
    const [martha, laura] = palaceBoard(played, names).seats;
    expect(martha?.stands.map(standText)).toEqual(["3 of spades", "joker", "king of hearts"]);
    expect(laura?.stands.map(standText)).toEqual(["empty", "face down, but seen: 8 of spades", "empty"]);
    expect(standText({ over: null, under: "??" })).toBe("face down");
  });

  it("marks the cards that were just played and says what is to be met", () => {
    expect(palaceBoard(played, names)).toMatchObject({ current: "7 7 in a row", stack: 12, cleared: 1 });
    expect(at({ run: 1 }).current).toBe("7 is current");
    expect([at({}).size, at({ pile: ["7D"] }).size, at({ pile: [] }).size]).toEqual([" · 3 cards", " · 1 card", ""]);
    expect(at({ pile: ["**"], current: null, run: 0 }).current).toBe("no card is current");
    expect(at({ pile: [], current: null, run: 0 })).toMatchObject({
      current: "empty: any card can lead",
      name: "The discard pile is empty",
    });
  });

  it("counts what lies below the cards in sight and marks no more than there are", () => {
    const deep = at({ pile: ["3S", "3H", "4S", "5S", "6S", "7H", "7D"] }, { type: "played", seat: 0, cards: ["7D"] });
    expect(deep).toMatchObject({ below: 2, pile: ["4S", "5S", "6S", "7H", "7D"] });
  });

  it("says what is asked of whoever is to move", () => {
    expect(at({ current: "A" }).note).toBe("An ace threatens Laura.");
    expect(at({ current: "A", options: { ace: "reset", placings: "winner" } }).note).toBe("");
    expect(at({ demanded: true }).note).toBe("Laura must continue.");
    expect(at({ phase: "drawn" }).note).toBe("Laura has drawn a card and must play or keep it.");
    expect(at({ phase: "look" }).note).toBe("Laura looks at one of two face-down cards.");
    expect(at({ phase: "over", turn: null }).note).toBe("");
    expect(at({ phase: "choose", turn: null }).note).toBe("All players choose an upper palace.");
  });

  it("shows whose turn it is, and before the choice everybody who has not chosen", () => {
    expect(at({}).seats.map((seat) => seat.turn)).toEqual([false, true]);
    expect(at({ phase: "choose", turn: null }).seats.map((seat) => seat.turn)).toEqual([false, true]);
    expect(at({ phase: "over", turn: null }).seats.map((seat) => seat.turn)).toEqual([false, false]);
  });

  it("says what became of a seat", () => {
    expect(at({}).seats.map((seat) => seat.note)).toEqual(["took 3", ""]);
    expect(at({}, { type: "drew", seat: 0, cards: [null, null] }).seats[0]?.note).toBe("drew 2");
    expect(at({ uncalled: [1] }).seats[1]?.note).toBe("did not call “last card”");
    expect(at({}, { type: "called", seat: 0, owner: 1, count: 4 }).seats[1]?.note).toBe("called: took 4");
    expect(at({ seats: [{ ...palace.seats[0], place: 1 }, palace.seats[1]] }).seats[0]?.note).toBe("wins");
  });

  it("tells a seat in words", () => {
    const [martha, laura] = palaceBoard(played, names).seats;
    expect(martha?.words).toBe("4 cards in hand; upper palace 3 of spades, joker, king of hearts; 3 face-down cards");
    expect(laura?.words).toBe(
      "1 card in hand: 4 of spades; upper palace none; 0 face-down cards; face down, but seen: 8 of spades; has " +
        "chanced 9 of diamonds; to move",
    );
  });
});

describe("the board of Plate Spinner", () => {
  const poppy = {
    id: "P1",
    sort: "plate",
    colour: "red",
    points: 2,
    dice: 1,
    bomb: true,
    needs: [{ kind: "slots", slots: [">=4", "odd"] }],
    name: "Poppy",
    motif: "poppy",
  };
  const ivy = {
    id: "R1",
    sort: "rim",
    colour: "green",
    points: 1,
    dice: 1,
    bomb: false,
    needs: [{ kind: "same", dice: 2 }],
    name: "Ivy",
    motif: "rings",
  };
  const start = {
    id: "A1",
    sort: "starting",
    colour: null,
    points: 0,
    dice: 0,
    bomb: false,
    needs: [{ kind: "slots", slots: ["=1"] }],
    name: "Beaker A1",
    motif: "plain",
  };
  const player = {
    dice: "135",
    player_dice: 5,
    neutral_dice: 1,
    rolls: 2,
    spinning: true,
    meeple: null,
    printed: 3,
    colours: { red: 1, blue: 0, green: 1, yellow: 0 },
    score: 5,
  };
  const plates = [
    { id: "A1", rim: null, filled: [[1]], free: 0 },
    { id: "P1", rim: "R1", filled: [[null, 3], [6]], free: 2 },
  ];
  const seen = {
    seats: 3,
    phase: "spinning",
    round: 4,
    last_round: false,
    to_act: [0, 2],
    turn: null,
    meeples: [2],
    market: ["R1"],
    loose: [],
    plates_left: 20,
    rims_left: 9,
    neutral_left: 4,
    discard: ["P9"],
    players: [
      { ...player, plates },
      { ...player, plates: [], spinning: false, meeple: 1 },
    ],
  };
  const replay = { items: { P1: poppy, R1: ivy, A1: start }, frames: [] as Frame[] };
  const board = (event: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) =>
    spinnerBoard(frame(9, event, { observation: { ...seen, ...changes } }), replay);

  it("puts each die in its place and the rim's groups after the plate's", () => {
    const [a1, p1] = board().seats[0]?.plates ?? [];
    expect(a1).toMatchObject({ done: true, inPlace: 1, needed: 1, colour: "plain" });
    expect(p1?.groups).toEqual([
      {
        label: "",
        places: [
          { sign: "≥4", die: null },
          { sign: "odd", die: 3 },
        ],
      },
    ]);
    expect(p1?.rimGroups).toEqual([
      {
        label: "the same",
        places: [
          { sign: "", die: 6 },
          { sign: "", die: null },
        ],
      },
    ]);
    expect(p1).toMatchObject({ done: false, inPlace: 2, needed: 4, colour: "red" });
  });

  it("names the colour that the star plate was given, and fills nothing that has no places (PS-26)", () => {
    const star = { ...start, id: "STAR", sort: "star", needs: [], name: "Star" };
    const held = { id: "STAR", rim: null, filled: [], free: 0, colour: "blue" };
    const changes = { players: [{ ...player, plates: [held] }], market: ["STAR"], to_act: [] };
    const at = frame(9, {}, { observation: { ...seen, ...changes } });
    const { seats, stall } = spinnerBoard(at, { items: { STAR: star }, frames: [at] });
    const found = [seats[0]?.plates[0], stall[0]];
    expect(found.map((plate) => [plate?.name, plate?.done])).toEqual([
      ["Star: blue", false],
      ["Star: no colour", false],
    ]);
  });

  it("says in words all that a plate shows", () => {
    expect(board().seats[0]?.plates[1]?.name).toBe(
      "Poppy: red, 2 points, brings 1 die, bomb; needs at least 4, an odd die; with the rim Ivy: green rim, 1 " +
        "point, brings a neutral die; the rim needs 2 equal dice; 2 of 4 dice placed",
    );
    expect(board().seats[0]?.plates[0]?.name).toBe("Beaker A1: starting plate, cannot break; needs a 1; filled");
    expect(board().stall[0]?.name).toBe("Ivy: green rim, 1 point, brings a neutral die; needs 2 equal dice");
    expect(needText({ kind: "sum", dice: 3, total: 14 })).toBe("3 dice that total 14 or more");
    expect(needText({ kind: "run", dice: 4 })).toBe("4 dice in a run");
  });

  it("leaves the places in the market empty from which things were taken in this round", () => {
    const at = (version: number, market: string[], loose: string[] = []): Frame =>
      frame(version, {}, { observation: { ...seen, market, loose } });
    const frames = [at(1, ["R1"]), at(2, []), at(3, ["P1", "A1", "R1"]), at(4, ["P1", "R1"]), at(5, ["P1"], ["R1"])];
    const taken = board({}, { phase: "attaching", turn: 0, market: [], loose: ["R1"] });
    const ids = taken.seats.map((seat) => seat.plates.map(({ item }) => item.id));
    expect(ids).toEqual([["A1", "P1", "R1"], []]); // PS-19
    const stall = (place: number): unknown =>
      spinnerBoard(frames[place] as Frame, { ...replay, frames }).stall.map((plate) => plate?.item.id);
    expect(frames.map((_, place) => stall(place))).toEqual([
      ["R1"],
      [],
      ["P1", "A1", "R1"],
      ["P1", undefined, "R1"],
      ["P1", undefined, undefined],
    ]);
  });

  it("shows which meeples are left, who spins, and the dice that are free", () => {
    const { meeples, seats, title } = board();
    expect(meeples).toEqual([
      { number: 1, left: false },
      { number: 2, left: true },
    ]);
    expect(seats.map((seat) => seat.turn)).toEqual([true, false]);
    expect(seats[0]).toMatchObject({ dice: [1, 3, 5], dieCount: 6, meeple: null });
    expect(title).toBe("Round 4: spinning");
    expect(board({}, { phase: "drafting", turn: 1, last_round: true })).toMatchObject({
      title: "Round 4, the last: drafting",
    });
  });

  it("marks what the event touched", () => {
    expect(board({ type: "assigned", seat: 0, plate: "P1" }).seats[0]?.plates.map((plate) => plate.fresh)).toEqual([
      false,
      true,
    ]);
    expect(board({ type: "broke", seat: 1, plates: ["P1", "P2"] }).seats.map((seat) => seat.note)).toEqual([
      "",
      "2 plates broke",
    ]);
  });
});

describe("what a touch in vain means", () => {
  it("is a draft for a plate without a die, so the rules say why not", () => {
    expect(spinnerTouches.attempt?.("plate:P22", [], [])).toBe("draft P22");
    expect(spinnerTouches.attempt?.("plate:P22", ["die:3~0"], [])).toBe("assign 3 P22 0");
  });
});

describe("what explains the pile of Palace", () => {
  it("is that a joker answers an Ace, too, where it reverses", () => {
    const asked = (joker: string): unknown =>
      palaceTouches.explains?.(
        "pile",
        { ...frame, observation: { pile: ["AS"], current: "A", options: { ace: "threat", joker } } } as never,
        {} as never,
      );
    expect([asked("clear"), asked("reverse")]).toEqual([["now:A-threat"], ["now:A-threat-reverse"]]);
  });
});

describe("what explains a thing by the state of the game", () => {
  it("is for a card of Palace that it goes on an Ace, where Aces reset the pile (PA-10)", () => {
    const asked = (name: string, ace: string): unknown =>
      palaceTouches.explains?.(name, { ...frame, observation: { pile: [], options: { ace } } } as never, {} as never);
    expect([asked("card:8S", "reset"), asked("card:8S", "threat"), asked("card:2S", "reset")]).toEqual([
      ["on:A-reset"],
      [],
      [],
    ]);
  });

  it("is for the plate what may be placed, but not while only equal cards are added (PL-17)", () => {
    const asked = (phase: string): unknown =>
      platesTouches.explains?.("dish", { ...frame, observation: { phase, plate: ["9S"] } } as never, {} as never);
    expect([asked("play"), asked("add")]).toEqual([["now:9"], []]);
  });

  it("is for a rim that a neutral die comes on top of the ten (PS-20)", () => {
    const item = { dice: 1, needs: [], colour: "red" };
    const items = { P1: { ...item, sort: "plate" }, R1: { ...item, sort: "rim" } };
    const asked = (id: string): unknown => spinnerTouches.explains?.(id, {} as never, { items } as never);
    expect(asked("plate:P1")).toContain("brings");
    expect(asked("plate:R1")).toEqual(["rim", "brings-neutral", "colour:square"]);
  });
});
