/**
 * Translates the front end's texts, which are written here in English. A page in another language has Django's
 * JavaScript catalogue (docs/how-to/translate.md). `{name}` in a text is replaced by a value.
 */

export type Values = Record<string, string | number>;

/** The functions of Django's JavaScript catalogue. */
interface Catalogue {
  gettext(text: string): string;
  ngettext(one: string, many: string, count: number): string;
}

const catalogue = (): Catalogue | undefined => (globalThis as { django?: Catalogue }).django;

function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export function _(text: string, values: Values = {}): string {
  return filled(catalogue()?.gettext(text) ?? text, values);
}

/** Translate a text that depends on a number. `{count}` is that number. */
export function ngettext(one: string, many: string, count: number, values: Values = {}): string {
  const text = catalogue()?.ngettext(one, many, count) ?? (count === 1 ? one : many);
  return filled(text, { count, ...values });
}

/** Return "a, b and c". */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? "";
  return _("{some} and {last}", { some: names.slice(0, -1).join(", "), last: names.at(-1) ?? "" });
}
