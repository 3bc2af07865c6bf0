/**
 * Shows every board in every golden position, light, dark and on a phone: `bin/dev gallery`. A frame is loaded when it
 * scrolls into sight.
 */

import { KINDS, sizes } from "../browser/golden";
import { gameOf, placesOf, queryOf } from "./query";

const A_PAGE = 20;
const query = queryOf(window.location.search);
const places = placesOf(gameOf(query), query.viewpoint);
const first = Math.max(0, Number(new URLSearchParams(window.location.search).get("first")) || 0);

function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  into: Element,
  fields: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), fields);
  into.append(element);
  return element;
}

function addressOf(more: Record<string, string | number>): string {
  const fields = Object.entries({ ...query, ...more }).map(([name, value]) => [name, String(value)]);
  return `?${new URLSearchParams(fields).toString()}`;
}

function choose(name: keyof typeof query, values: readonly (string | number)[]): void {
  const label = made("label", form, { textContent: `${name} ` });
  const select = made("select", label, { name });
  for (const value of values)
    made("option", select, { value: String(value), textContent: String(value), selected: query[name] === value });
}

const form = document.querySelector("form") as HTMLFormElement;
const [nav, main] = ["nav", "main"].map((name) => document.querySelector(name) as HTMLElement) as [
  HTMLElement,
  HTMLElement,
];
choose("kind", KINDS);
choose("seats", sizes(query.kind));
choose("viewpoint", ["all", "public", ...Array.from({ length: query.seats }, (_, seat) => String(seat)), "table"]);
choose("board", ["own", "general"]);
form.addEventListener("change", () => form.submit());

for (let start = 0; start < places.length; start += A_PAGE) {
  const textContent = `${start + 1}–${Math.min(start + A_PAGE, places.length)}`;
  made("a", nav, { href: addressOf({ first: start }), textContent, ariaCurrent: start === first ? "page" : null });
}
for (const place of places.slice(first, first + A_PAGE)) {
  const section = made("section", main, {});
  made("h2", section, { textContent: `Position ${place + 1}` });
  const row = made("div", section, {});
  for (const look of ["light", "dark"])
    for (const className of ["wide", "phone"])
      made("iframe", row, {
        className,
        loading: "lazy",
        title: `Position ${place + 1}, ${look}, ${className}`,
        src: `position.html${addressOf({ at: place, look })}`,
      });
}
