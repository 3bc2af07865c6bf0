/**
 * The sounds of a page: whether the reader wants them, and when they may be heard. What makes them is loaded after the
 * first touch, before which a browser allows no sound.
 */

import type { Cue } from "./cues";
import type { Synth } from "./synth";

const [OFF, AWAY] = ["scorebook.sound.off", "scorebook.sound.away"];

/** What the browser remembers; nothing where that is blocked, as in a frame of another site. */
function remembered(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
const wish = (name: string): boolean => remembered()?.getItem(name) === "yes";

export class Speaker {
  /** The reader hears sounds. One button changes it, and the browser remembers it. */
  on: boolean = $state.raw(!wish(OFF));
  /** The reader wants to hear that it is their turn while the page is hidden. */
  away: boolean = $state.raw(wish(AWAY));
  private synth: Synth | null = null;
  /** Whether the synth has been asked for: there is one for all tables that a page shows. */
  private asked = false;

  /**
   * Make sounds possible from the first touch or key. A phone that was locked, or Safari after a late load, stops sound
   * until the next touch, so each touch wakes it. Returns a function that ends them.
   */
  wake(made: () => Promise<Synth> = load): () => void {
    const touches = new AbortController();
    const touched = (): void => {
      this.synth?.wake();
      if (this.asked) return;
      this.asked = true;
      made().then(
        (synth) => (this.synth = synth),
        () => (this.asked = false), // the next touch tries again
      );
    };
    for (const type of ["pointerdown", "pointerup", "keydown"])
      window.addEventListener(type, touched, { signal: touches.signal });
    return () => touches.abort();
  }

  play(cue: Cue | null): void {
    if (!cue || !this.on || (document.hidden && !(cue === "turn" && this.away))) return;
    this.synth?.play(cue);
  }

  setOn(on: boolean): void {
    this.on = on;
    remembered()?.setItem(OFF, on ? "no" : "yes");
    this.play("play");
  }

  setAway(away: boolean): void {
    this.away = away;
    remembered()?.setItem(AWAY, away ? "yes" : "no");
  }
}

async function load(): Promise<Synth> {
  const { Synth } = await import("./synth");
  return new Synth(new AudioContext());
}

/** The speaker of the page. */
export const speaker = new Speaker();
