/**
 * The words of the island in the reader's language. They are written here in English; the page brings a catalogue
 * where there is a translation (docs/how-to/translate.md). `{name}` in a text stands for a value.
 */

export type Values = Record<string, string | number>;

/** Translations by the English text; all forms of a text with a plural. `plurals`: the form of each count from 0. */
export interface Catalogue {
  words: Record<string, string | string[]>;
  plurals: number[];
}

const UNTRANSLATED: Catalogue = { words: {}, plurals: [] };
let spoken: Catalogue = given() ?? UNTRANSLATED;

function given(): Catalogue | null {
  const text = typeof document === "undefined" ? null : document.getElementById("island-words")?.textContent;
  return text ? (JSON.parse(text) as Catalogue) : null;
}

/** Speak another language from now on; English without a catalogue. */
export function speak(catalogue: Catalogue = UNTRANSLATED): void {
  spoken = catalogue;
}

function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export function _(text: string, values: Values = {}): string {
  const translated = spoken.words[text];
  return filled(typeof translated === "string" ? translated : text, values);
}

/** The form for `count`, which is the value of `{count}`. */
export function ngettext(one: string, many: string, count: number, values: Values = {}): string {
  const forms = spoken.words[one];
  const period = spoken.plurals.length / 2;
  const form = spoken.plurals[count < 2 * period ? count : period + (count % period)] ?? 0;
  const text = Array.isArray(forms) ? (forms[form] ?? many) : count === 1 ? one : many;
  return filled(text, { count, ...values });
}

/** "a, b and c". */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? "";
  return _("{some} and {last}", { some: names.slice(0, -1).join(", "), last: names.at(-1) ?? "" });
}
