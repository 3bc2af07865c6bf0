// Turns notices on this device on and off (Push API), and registers the service worker that shows them. A browser
// without Web Push keeps the sentence that says so.
(function () {
  const box = document.querySelector("[data-push]");
  if (!("serviceWorker" in navigator)) return;
  const ready = navigator.serviceWorker.register(document.currentScript.dataset.worker, { scope: "/" });
  if (!box || !("PushManager" in window)) return;
  const [none, turnOn, turnOff, trouble] = ["none", "on", "off", "trouble"].map((name) =>
    box.querySelector(`[data-push-${name}]`),
  );
  const key = Uint8Array.from(atob(box.dataset.push.replace(/-/g, "+").replace(/_/g, "/")), (each) =>
    each.charCodeAt(0),
  );

  /** Show the button that does something now. */
  function show(subscription) {
    const here = subscription && box.dataset.here;
    none.hidden = true;
    turnOn.hidden = Boolean(here);
    turnOff.hidden = !here;
  }

  async function send(method, address, body) {
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
    const answer = await fetch(address, { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error((await answer.json()).error?.sentence);
  }

  /** Do what a button says, and show the page as it is then; or say what is in the way. */
  function on(button, act) {
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await act(await (await ready).pushManager.getSubscription());
        location.reload();
      } catch (error) {
        trouble.textContent = error.message || trouble.dataset.pushTrouble;
        trouble.hidden = false;
        button.disabled = false;
      }
    });
  }

  on(turnOn, async (before) => {
    await before?.unsubscribe(); // it may be of another key, or of somebody else
    if ((await Notification.requestPermission()) !== "granted") throw new Error(trouble.dataset.denied);
    const manager = (await navigator.serviceWorker.ready).pushManager;
    const made = await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint, keys } = made.toJSON();
    await send("POST", box.dataset.devices, { endpoint, ...keys, name: navigator.userAgentData?.platform ?? "" });
  });
  on(turnOff, async (here) => {
    await send("DELETE", `${box.dataset.devices}${box.dataset.here}/`);
    await here.unsubscribe();
  });

  ready.then((worker) => worker.pushManager.getSubscription()).then(show, () => undefined);
})();
