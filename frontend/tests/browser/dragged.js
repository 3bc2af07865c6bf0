// Drags the scrubber through some `positions`. Returns the controls that leave the window, what runs beyond the felt,
// and where the felt becomes larger or lower than before. The file is one expression; tests/browser/test_fits.py reads
// it, too.
async ({ positions }) => {
  const scrubber = document.querySelector(".scrub input"),
    controls = document.querySelector(".controls");
  const felt = document.querySelector(".felt"),
    faults = [],
    last = Number(scrubber.max);
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  let before = Infinity,
    high = 0;
  const beyond = (part) => {
    const [inner, outer] = [part.getBoundingClientRect(), felt.getBoundingClientRect()];
    const out = [inner.bottom - outer.bottom, inner.right - outer.right, outer.left - inner.left];
    return inner.width > 0 && !part.closest("svg, .vh") && Math.max(...out) > 1;
  };
  for (let at = 0; at <= last; at += Math.max(1, Math.floor(last / positions))) {
    scrubber.value = String(at);
    scrubber.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
    const below = Math.round(controls.getBoundingClientRect().bottom - innerHeight),
      zoom = Number(felt.style.zoom);
    if (below > 0) faults.push(`at ${at} the controls are ${below} px below the window`);
    if (zoom > before) faults.push(`at ${at} the board grows from ${before} to ${zoom}`);
    const height = felt.getBoundingClientRect().height / zoom;
    if (height < high - 1) faults.push(`at ${at} the felt is lowered from ${high} to ${height} px`);
    const out = [...felt.querySelectorAll("*")].find(beyond);
    if (out) faults.push(`at ${at} ${out.className} “${out.textContent.trim()}” runs beyond the felt`);
    [before, high] = [zoom, height];
  }
  return faults;
};
