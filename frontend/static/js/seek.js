// The page that waits for an opponent: counts on from the seconds that the server has sent.
(function () {
  let counted = null;
  let began = 0;
  setInterval(function () {
    const clock = document.getElementById("waited");
    if (!clock) return;
    if (clock !== counted) {
      counted = clock;
      began = performance.now() - 1000 * Number(clock.dataset.seconds);
    }
    const seconds = Math.floor((performance.now() - began) / 1000);
    clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }, 1000);
})();
