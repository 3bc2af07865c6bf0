// Keeps a refreshed dashboard usable: nothing is exchanged while a form is open, and what was unfolded or had the focus
// is so afterwards, too. Without it the page refreshes just the same when it is loaded anew.
(function () {
  const part = document.getElementById("condition");
  let opened = [];
  let focused = "";

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target !== part) return;
    const writing = part.querySelector("details[open] form") !== null;
    const held = document.getElementById("held");
    if (held) held.textContent = writing ? part.dataset.held : "";
    if (writing) event.detail.shouldSwap = false;
    opened = [...part.querySelectorAll("details[open][id]")].map((each) => each.id);
    focused = part.contains(document.activeElement) ? document.activeElement.id : "";
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target !== part) return;
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  });
})();
