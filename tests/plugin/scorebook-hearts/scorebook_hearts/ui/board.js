// Hearts at a round table: the players sit at the edge, and the trick lies in the middle.
const SUITS = { S: ["♠", "spades"], H: ["♥", "hearts"], D: ["♦", "diamonds"], C: ["♣", "clubs"] };
const RANKS = { A: "ace", J: "jack", Q: "queen", K: "king", T: "10" };
const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  .hearts-round { position: relative; width: min(100%, 36rem); height: 21rem; margin: auto; }
  .hearts-round > * { position: absolute; transform: translate(-50%, -50%); }
  .hearts-seat { display: grid; width: max-content; max-width: 32%; padding: 0.3rem 0.5rem;
    border: 2px solid transparent; border-radius: 0.6rem; background: rgb(0 0 0 / 22%); text-align: center; }
  .hearts-seat.turn { border-color: currentcolor; }
  .hearts-card { display: inline-grid; place-items: center; width: 2.4rem; height: 3.3rem; border-radius: 0.3rem;
    background: #fff; color: #14181f; font-weight: 700; box-shadow: 0 1px 3px rgb(0 0 0 / 45%); }
  .hearts-card.red { color: #a3121f; }
  .hearts-hand { display: flex; flex-wrap: wrap; gap: 0.25rem; place-content: center; align-items: center; }
`);
document.adoptedStyleSheets.push(sheet);

const spoken = (card) => `${RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]][1]}`;
const item = (card) => ({ id: `hand:${card}`, label: spoken(card), card });
const make = (tag, className, textContent = "") =>
  Object.assign(document.createElement(tag), { className, textContent });

function drawn(card) {
  const face = make("span", "hearts-card", (card[0] === "T" ? "10" : card[0]) + SUITS[card[1]][0]);
  face.classList.toggle("red", "HD".includes(card[1]));
  return Object.assign(face, { role: "img", ariaLabel: spoken(card) });
}

function mount(place, scene) {
  const [round, hands] = [make("div", "hearts-round"), make("div", "")];
  const seats = scene.replay.game.seats.map(({ name, bot, seat }) => {
    const [panel, clock, facts] = [make("div", "hearts-seat"), make("span", ""), make("small", "")];
    panel.append(make("b", "", name), clock, facts);
    return { name, panel, facts, leave: bot || seat === scene.seat ? undefined : scene.clock?.(seat, clock) };
  });
  function update() {
    const [seen, viewpoint] = [scene.frame.observation, scene.replay.viewpoint];
    const near = /^\d+$/.test(viewpoint) ? Number(viewpoint) : (scene.seat ?? 0);
    function at(element, seat, part) {
      const turn = (2 * Math.PI * (seat - near)) / seats.length; // clockwise from the near edge
      const [left, top] = [50 - 34 * part * Math.sin(turn), 50 + 40 * part * Math.cos(turn)];
      return Object.assign(element.style, { left: `${left}%`, top: `${top}%` }), element;
    }
    const panels = seats.map(({ name, panel, facts }, seat) => {
      const turn = seen.to_act.includes(seat);
      facts.textContent = `${turn ? "to move · " : ""}${seen.scores[seat]} points · ${seen.hand_counts[seat]} cards`;
      panel.classList.toggle("turn", turn);
      return at(Object.assign(panel, { role: "group", ariaLabel: `${name}: ${facts.textContent}` }), seat, 1);
    });
    const trick = seen.trick.length ? seen.trick : seen.last_trick;
    round.replaceChildren(...panels, ...trick.map(({ seat, card }) => at(drawn(card), seat, 0.34)));
    const shown = scene.touching ? [] : (seen.hands ?? [seen.hand]); // at a table, one's hand lies in the tray
    const rows = shown.map((cards, seat) => {
      const row = make("p", "hearts-hand", seen.hands ? seats[seat].name : "");
      return row.append(...cards.map(drawn)), row;
    });
    hands.replaceChildren(...rows);
  }
  place.append(round, hands);
  update();
  return { update, destroy: () => (seats.forEach(({ leave }) => leave?.()), round.remove(), hands.remove()) };
}

export const board = {
  mount,
  things: (move) => [`hand:${move.split(" ")[1]}`],
  zones: ({ observation }) => [{ title: "Your hand", sort: "hand", items: observation.hand.map(item) }],
  attempt: (id) => `play ${id.split(":")[1]}`,
};
