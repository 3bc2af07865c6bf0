/** Animates moved things from their old places: First, Last, Invert, Play, by the Web Animations API. */

const TRAVEL_MS = 220;

export type Places = Map<string, DOMRect>;

function things(root: Element): Map<string, Element> {
  const found = new Map<string, Element>();
  const seen: Record<string, number> = {};
  for (const element of root.querySelectorAll("[data-card]:not([data-card=back]), [data-plate]")) {
    const name = element.getAttribute("data-card") ?? `plate ${element.getAttribute("data-plate")}`;
    const place = (seen[name] = (seen[name] ?? -1) + 1);
    found.set(`${name} ${place}`, element);
  }
  return found;
}

/** Return where each thing is now. */
export function placesOf(root: Element): Places {
  return new Map([...things(root)].map(([name, element]) => [name, element.getBoundingClientRect()]));
}

/** Animate each thing from its place in `before`. A new thing comes from `origin`. */
export function travel(root: Element, before: Places, origin: Element | null): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const source = origin?.getBoundingClientRect();
  for (const [name, element] of things(root)) {
    const from = before.get(name) ?? source;
    const to = element.getBoundingClientRect();
    if (!from || !to.width || (Math.abs(from.x - to.x) < 2 && Math.abs(from.y - to.y) < 2)) continue;
    const known = before.has(name);
    const scale = known ? from.width / to.width : 0.6;
    const x = from.x + (known ? 0 : from.width / 2) - to.x;
    element.animate(
      [
        { transform: `translate(${x}px, ${from.y - to.y}px) scale(${scale})`, transformOrigin: "0 0", zIndex: 9 },
        { transform: "none", transformOrigin: "0 0", zIndex: 9 },
      ],
      { duration: TRAVEL_MS, easing: "ease-out" },
    );
  }
}
