// Keeps a refreshed dashboard usable. It exchanges nothing while a form is open, and restores unfolded parts and the
// focus. Without it, the page is refreshed by a reload.
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
