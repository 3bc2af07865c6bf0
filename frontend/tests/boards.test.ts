import { describe, expect, it } from "vitest";
import { spotName, tenBoard } from "../src/boards/chinese_ten";
import { platesBoard } from "../src/boards/plates";
import { seatingOf } from "../src/boards/seating";
import { frame } from "./sample";

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

describe("the seating", () => {
  it("puts the eyes' own seat at the near edge and the others clockwise", () => {
    expect(seatingOf("2", 4)).toEqual({ near: 2, others: [3, 0, 1] });
    expect(seatingOf("public", 3)).toEqual({ near: 0, others: [1, 2] });
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
    expect(tenBoard(frame(9, {}, { observation: open }), "all").seats.map((seat) => seat.hand)).toEqual([["7S"], ["2S", "KH"]]);
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

  it("marks the cards that were just placed and names the run", () => {
    expect(platesBoard(placed, names)).toMatchObject({ fresh: 2, run: "9 9 · two in a row", cleared: 1, aside: 16 });
  });

  it("says who is out and how many turns are left", () => {
    const out = frame(9, {}, { observation: { ...plates, out: 0, last_turns: 1 } });
    expect(platesBoard(out, names).note).toBe("Martha is out: one last turn to come.");
    expect(platesBoard(placed, names).note).toBe("");
  });

  it("tells an empty plate from a cleared one", () => {
    const bare = { ...plates, plate: [], run: 0 };
    expect(platesBoard(frame(9, { type: "cleared", seat: 0, count: 4 }, { observation: bare }), names).run).toBe("cleared");
    expect(platesBoard(frame(9, { type: "dealt" }, { observation: bare }), names)).toMatchObject({ run: "empty", name: "The plate is empty" });
  });
});
