/**
 * The server's stream, kept open: it heals by itself, goes on from the version that we have, and says when it is lost.
 */

export interface Ears {
  version(): number;
  /** Something happened in the game. */
  moved(): void;
  /** Something other than an event has changed. */
  changed(present: number[]): void;
  link(open: boolean): void;
  build(build: string): void;
}

/** As long as nothing at all is heard (the server gives a sign of life every 15 s) the line counts as dead. */
export const SILENCE_MS = 40_000;
const LONGEST_MS = 10_000;

/** Listen, after the end too: people may wish to play once more. */
export function listen(address: string, ears: Ears): void {
  let source: EventSource | null = null;
  let timer = 0;
  let silence = 0;
  let tries = 0;
  let number: number | null = null;

  function heard(): void {
    window.clearTimeout(silence);
    silence = window.setTimeout(lost, SILENCE_MS);
  }

  function open(): void {
    source?.close();
    number = null;
    source = new EventSource(`${address}&since=${ears.version()}`);
    heard();
    source.addEventListener("game", (event) => {
      tries = 0;
      heard();
      ears.link(true);
      ears.build((JSON.parse(event.data as string) as { build: string }).build);
      ears.moved(); // whatever came while we were away
    });
    for (const news of ["event", "over"]) source.addEventListener(news, () => (heard(), ears.moved()));
    source.addEventListener("state", (event) => {
      heard();
      const state = JSON.parse(event.data as string) as { number: number; events: number; present: number[] };
      if (state.events > ears.version()) ears.moved();
      if (number === null || state.number !== number) ears.changed(state.present);
      number = state.number;
    });
    source.addEventListener("error", lost);
  }

  /** The browser would try again by itself, but not after every kind of failure, and not from where we are now. */
  function lost(): void {
    source?.close();
    ears.link(false);
    window.clearTimeout(silence);
    window.clearTimeout(timer);
    timer = window.setTimeout(open, Math.min(LONGEST_MS, 300 * 2 ** tries++));
  }

  function now(): void {
    tries = 0;
    window.clearTimeout(timer);
    open();
  }

  function shown(event: PageTransitionEvent): void {
    if (event.persisted) now(); // by the back button: the page slept
  }

  window.addEventListener("online", now);
  window.addEventListener("offline", lost);
  window.addEventListener("pageshow", shown);
  open();
}
