/** Loads what the first drawing of a page does not need. */

/** After this time a part is asked for again that could not be loaded. */
const AGAIN_MS = 5000;

/** Call `call` when the page has nothing more important to do. */
export function whenIdle(call: () => void): void {
  if ("requestIdleCallback" in window) window.requestIdleCallback(call, { timeout: 1000 });
  else setTimeout(call, 200); // Safari
}

/** Load a part after the first drawing and pass it on. Returns a function that ends it. */
export function load<T>(part: () => Promise<T>, take: (part: T) => void): () => void {
  let ended = false;
  const begin = (): void => {
    if (ended) return;
    part().then(
      (loaded) => {
        if (!ended) take(loaded);
      },
      () => setTimeout(begin, AGAIN_MS),
    );
  };
  whenIdle(begin);
  return () => {
    ended = true;
  };
}

/** Load a part after the first drawing and start it. Returns a function that ends it, or ends the loading. */
export function startLater<T>(part: () => Promise<T>, start: (part: T) => () => void): () => void {
  let end: (() => void) | undefined;
  const stop = load(part, (loaded) => (end = start(loaded)));
  return () => {
    stop();
    end?.();
  };
}
