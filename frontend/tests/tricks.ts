/** What seat 0 sees in a trick-taking game that the front end does not know. */
export const SEEN = {
  seat: 0,
  turn: 0,
  round: 2,
  trick: [
    { seat: 1, card: "2H" },
    { seat: 2, card: "KH" },
  ],
  leader: 1,
  hearts_broken: true,
  hand: ["4H", "QH", "7C"],
  hand_counts: [3, 2, 2],
  taken: [["2C", "QS"], [], []],
  points: [13, 0, 1],
  scores: [13, 0, 1],
};
