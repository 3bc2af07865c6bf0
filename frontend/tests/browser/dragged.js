// Drags the scrubber through some 20 positions. Returns the controls that leave the window or grow. The file is one
// expression; tests/browser/test_fits.py reads it, too.
async () => {
  const scrubber = document.querySelector(".scrub input"),
    controls = document.querySelector(".controls");
  const felt = document.querySelector(".felt"),
    faults = [],
    last = Number(scrubber.max);
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  let before = Infinity;
  for (let at = 0; at <= last; at += Math.max(1, Math.floor(last / 20))) {
    scrubber.value = String(at);
    scrubber.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
    const below = Math.round(controls.getBoundingClientRect().bottom - innerHeight),
      zoom = Number(felt.style.zoom);
    if (below > 0) faults.push(`at ${at} the controls are ${below} px below the window`);
    if (zoom > before) faults.push(`at ${at} the board grows from ${before} to ${zoom}`);
    before = zoom;
  }
  return faults;
};
