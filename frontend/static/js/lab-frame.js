/* The framed page of the lab: it has an opaque origin and no network. It starts the worker from the parts that the page
around it sends, and passes messages on. */
(() => {
  let parts = null;
  let worker = null;
  let origin = "";

  const blob = (content, type) => URL.createObjectURL(new Blob([content], { type }));
  const tell = (message) => window.parent.postMessage(message, origin);

  function start() {
    worker?.terminate();
    const { worker: source, module, ...rest } = parts;
    let ready = false; // then bots may run, which could send anything
    const started = new Worker(source);
    worker = started;
    worker.onmessage = ({ data }) => {
      if (data.unusable && !ready) {
        parts.image = null;
        start();
        return;
      }
      if (data.image && !ready) parts.image = data.image;
      if (data.image && ready) return;
      ready ||= data.ready === true;
      tell(data);
    };
    worker.onerror = (event) => tell({ broken: event.message || "The worker could not be started." });
    worker.postMessage(rest);
    module.then(
      (compiled) => started.postMessage({ module: compiled }),
      (error) => tell({ broken: String(error) }),
    );
  }

  window.addEventListener("message", (event) => {
    if (event.source !== window.parent) return;
    const { data } = event;
    if (data.parts) {
      origin = event.origin;
      const { wasm, worker: code, scripts, ...rest } = data.parts;
      const script = (text) => blob(text, "text/javascript");
      const made = { pyodide: script(scripts.pyodide), asm: script(scripts.asm) };
      parts = { ...rest, worker: script(code), scripts: made, module: WebAssembly.compile(wasm) };
      start();
    } else if (data.restart) start();
    else worker?.postMessage(data);
  });
})();
