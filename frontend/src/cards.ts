/** Cards as text (`7S`, `TH`, `**`), their names, and the parts that draw them. */

import { _ } from "./gettext";

const RANKS: Record<string, string> = { A: _("ace"), T: _("ten"), J: _("jack"), Q: _("queen"), K: _("king") };
const SUITS: Record<string, string> = {
  S: _("{rank} of spades"),
  H: _("{rank} of hearts"),
  D: _("{rank} of diamonds"),
  C: _("{rank} of clubs"),
};
const ORDER = "A23456789TJQK*";

export const JOKER = "**";

/** All 52 faces, for the sprite. */
export const FACES: string[] = [...ORDER.slice(0, 13)].flatMap((rank) => [..."SHDC"].map((suit) => rank + suit));

export function isRed(card: string): boolean {
  return card[1] === "H" || card[1] === "D";
}

/** Return the name of a rank, or of a card's rank: "jack", "7". */
export function rankName(text: string): string {
  const rank = text[0] ?? "";
  return RANKS[rank] ?? rank;
}

/** Return the name of a card: "7 of spades". */
export function cardName(card: string): string {
  if (card === JOKER) return _("joker");
  return (SUITS[card[1] ?? ""] ?? card).replace("{rank}", rankName(card));
}

/** Return the rank as printed on a small card in a sentence: 10 for T. */
export function rankText(card: string): string {
  return card[0] === "T" ? "10" : card === JOKER ? "★" : (card[0] ?? "");
}

/** Return "ace of hearts, 9 of spades", or "none" for an empty list. */
export function cardNames(cards: readonly string[]): string {
  return cards.length ? cards.map(cardName).join(", ") : _("none");
}

/** Return the id of a card's symbol in the sprite. An id cannot have `*`, so the joker has a name. */
export function symbolOf(card: string | null): string {
  return card === null ? "back" : card === JOKER ? "joker" : card;
}
