// Parts of a page that show games in progress ask for what is new while the page is seen, and when it is seen again.
(function () {
  const parts = "[data-while-seen]";
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden && event.target.closest(parts)) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) document.querySelectorAll(parts).forEach((part) => htmx.trigger(part, "seen"));
  });
})();
