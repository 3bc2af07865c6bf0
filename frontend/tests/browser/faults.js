// Returns the layout faults of a table in the window, in words. Cards of a hand overlap; each must show a strip. The
// file is one expression; tests/browser/test_fits.py reads it, too.
({ atTable }) => {
  const felt = document.querySelector(".felt"),
    faults = [];
  const box = (element) => element.getBoundingClientRect();
  const within = (inner, outer, slack) =>
    inner.left >= outer.left - slack &&
    inner.right <= outer.right + slack &&
    inner.top >= outer.top - slack &&
    inner.bottom <= outer.bottom + slack;
  const window_ = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const words = (element) => (element.dataset.card ?? element.textContent).trim().slice(0, 24);
  const named = (element) => `${element.className} “${words(element)}”`;
  const shown = (root, selector) => [...root.querySelectorAll(selector)].filter((each) => box(each).width > 0);
  const ask = (element, slack) => {
    const own = box(element),
      next = element.closest(".shown > span, .hand-card")?.nextElementSibling;
    const beside = next && box(next).top < own.bottom && box(next).left > own.left ? box(next).left : own.right;
    const [x, y] = [(own.left + Math.min(own.right, beside)) / 2, (own.top + own.bottom) / 2];
    if (!within(own, window_, slack)) return faults.push(`${named(element)} is not wholly in the window`);
    const hit = document.elementFromPoint(x, y);
    if (!element.contains(hit) && !hit?.contains(element)) faults.push(`${named(element)} is under ${hit?.className}`);
  };
  const near = felt.querySelector(".near .seat"),
    tray = document.querySelector(".tray");
  for (const each of shown(felt, ".seat")) ask(each.querySelector(".who > b"), 0);
  const own = ".shown .card, .plate .disc, .stand:not(.bare) .card:last-child, .score b";
  for (const each of shown(near, own)) ask(each, 1);
  const controls = atTable
    ? shown(tray, "h2, .hand-card, .moves .btn")
    : shown(document, ".controls button, .scrub input");
  if (controls.length < 3) faults.push("there is nothing to play with");
  for (const each of controls) ask(each, 0);
  for (const name of shown(felt, ".seat .who > b"))
    if (name.scrollWidth > name.clientWidth + 1) faults.push(`the name ${name.textContent} is cut`);
  const edge = box(felt);
  for (const each of shown(felt, ".card, .disc, .plate-name, .caption, .die, .count, .who *"))
    if (!each.closest(".vh") && !within(box(each), edge, 0)) faults.push(`${named(each)} runs beyond the felt`);
  for (const seat of shown(felt, ".seat"))
    for (const each of shown(seat, ".card, .disc, .plate-name, .caption, .die, .score"))
      if (!within(box(each), box(seat), 2)) faults.push(`${named(each)} runs beyond its seat`);
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  // Six seats and seventeen cards in hand on a phone: 0.61, since a line of the tray says what is asked for.
  if (Number(felt.style.zoom || 1) < 0.6) faults.push(`the felt is drawn at ${felt.style.zoom} of its size`);
  return [...new Set(faults)];
};
