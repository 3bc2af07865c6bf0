// Home in a background tab: asks once a minute whether it is the viewer's turn by now, and says so in the tab's title
// and icon. The answer is one word, and 304 without one while nothing has changed. Whoever comes back to the tab sees
// the page as it is.
(function () {
  const { address, mine, icon: usual } = document.currentScript.dataset;
  const icon = document.querySelector('link[rel="icon"]');
  const before = document.title;
  const plain = before.startsWith(mine) ? before.slice(mine.length).trimStart() : before;
  setInterval(async function () {
    if (!document.hidden) return;
    try {
      const answer = await fetch(address, { redirect: "manual" });
      if (!answer.ok) return;
      const { my_turn } = await answer.json();
      const href = my_turn ? icon.dataset.turn : usual;
      document.title = my_turn ? `${mine} ${plain}` : plain;
      if (icon.getAttribute("href") !== href) icon.setAttribute("href", href);
    } catch {
      // no connection now: the next minute asks again
    }
  }, 60000);
  document.addEventListener("visibilitychange", function () {
    if (!document.hidden && document.title !== before) location.reload();
  });
})();
