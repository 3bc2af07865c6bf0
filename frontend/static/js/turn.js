// Home in a background tab: asks once a minute whether it is the viewer's turn by now, and says so in the tab's title
// and icon. Whoever comes back to the tab then sees the page as it is.
(function () {
  const icon = document.querySelector('link[rel="icon"]');
  const before = document.title;
  setInterval(async function () {
    if (!document.hidden) return;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = page.querySelector('link[rel="icon"]');
      if (!now) return;
      document.title = page.title;
      if (icon.getAttribute("href") !== now.getAttribute("href")) icon.setAttribute("href", now.getAttribute("href"));
    } catch {
      // no connection now: the next minute asks again
    }
  }, 60000);
  document.addEventListener("visibilitychange", function () {
    if (!document.hidden && document.title !== before) location.reload();
  });
})();
