/**
 * The sounds of a table, made of noise and tones by Web Audio. They are our own work, under the licence of Scorebook;
 * no recording is used.
 */

import type { Cue } from "./cues";

/** How loud everything is, as a share of full volume. */
const VOLUME = 0.22;

interface Noise {
  /** Seconds after the start. */
  at?: number;
  length: number;
  /** The middle of what is heard of the noise, in Hz, and how narrow it is. */
  around: number;
  narrow?: number;
  loud?: number;
}

interface Tone {
  at?: number;
  length: number;
  /** In Hz; at the end, if it changes. */
  pitch: number;
  end?: number;
  loud?: number;
  wave?: OscillatorType;
}

export class Synth {
  private readonly out: GainNode;
  private readonly hiss: AudioBuffer;

  constructor(private readonly context: BaseAudioContext) {
    this.out = context.createGain();
    this.out.gain.value = VOLUME;
    this.out.connect(context.destination);
    this.hiss = context.createBuffer(1, context.sampleRate, context.sampleRate);
    const samples = this.hiss.getChannelData(0);
    for (let place = 0; place < samples.length; place++) samples[place] = Math.random() * 2 - 1;
  }

  /** Return where a sound goes: it begins at once and fades out. */
  private fading(at: number, length: number, loud: number): GainNode {
    const gain = this.context.createGain();
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime(loud, at + 0.004);
    gain.gain.exponentialRampToValueAtTime(0.0005, at + length);
    gain.connect(this.out);
    return gain;
  }

  private noise({ at = 0, length, around, narrow = 1, loud = 1 }: Noise): void {
    const start = this.context.currentTime + at;
    const source = this.context.createBufferSource();
    source.buffer = this.hiss;
    const filter = this.context.createBiquadFilter();
    filter.type = "bandpass";
    filter.frequency.value = around;
    filter.Q.value = narrow;
    source.connect(filter).connect(this.fading(start, length, loud));
    source.start(start, Math.random() * 0.5, length);
  }

  private tone({ at = 0, length, pitch, end = pitch, loud = 0.5, wave = "sine" }: Tone): void {
    const start = this.context.currentTime + at;
    const source = this.context.createOscillator();
    source.type = wave;
    source.frequency.setValueAtTime(pitch, start);
    source.frequency.exponentialRampToValueAtTime(end, start + length);
    source.connect(this.fading(start, length, loud));
    source.start(start);
    source.stop(start + length);
  }

  /** A card is laid down. */
  private card(at = 0, loud = 1): void {
    this.noise({ at, length: 0.07, around: 2400, narrow: 0.7, loud: 0.7 * loud });
    this.tone({ at: at + 0.012, length: 0.06, pitch: 190, end: 120, loud: 0.5 * loud });
  }

  private readonly all: Record<Cue, () => void> = {
    play: () => this.card(),
    deal: () => [0, 0.06, 0.12, 0.18].forEach((at) => this.card(at, 0.6)),
    capture: () => {
      this.noise({ length: 0.16, around: 1500, narrow: 0.8, loud: 0.6 }); // cards are swept together
      this.card(0.12, 0.8);
    },
    flip: () => {
      this.noise({ length: 0.05, around: 3600, loud: 0.5 });
      this.noise({ at: 0.07, length: 0.06, around: 1900, loud: 0.6 });
    },
    dice: () => {
      for (const [at, pitch] of [
        [0, 900],
        [0.07, 1150],
        [0.12, 800],
        [0.19, 1000],
        [0.25, 700],
      ] as const) {
        this.noise({ at, length: 0.04, around: pitch * 2, narrow: 3, loud: 0.9 });
        this.tone({ at, length: 0.05, pitch, end: pitch * 0.7, loud: 0.15 });
      }
    },
    break: () => {
      this.noise({ at: 0.1, length: 0.28, around: 5200, narrow: 0.6, loud: 0.9 });
      for (const [at, pitch] of [
        [0.1, 2900],
        [0.13, 3700],
        [0.18, 2300],
        [0.24, 4400],
      ] as const)
        this.tone({ at, length: 0.16, pitch, loud: 0.16, wave: "triangle" });
    },
    turn: () => {
      this.tone({ length: 0.28, pitch: 587, loud: 0.35 });
      this.tone({ at: 0.11, length: 0.4, pitch: 880, loud: 0.35 });
    },
    low: () => [0, 0.16].forEach((at) => this.tone({ at, length: 0.1, pitch: 990, loud: 0.3, wave: "triangle" })),
    win: () => [523, 659, 784, 1047].forEach((pitch, place) => this.tone({ at: place * 0.1, length: 0.5, pitch })),
    loss: () =>
      [392, 330, 262].forEach((pitch, place) => this.tone({ at: place * 0.14, length: 0.5, pitch, loud: 0.35 })),
  };

  /** Go on after the browser has stopped the sound. It allows that only while the reader touches the page. */
  wake(): void {
    const { context } = this;
    if (context instanceof AudioContext && context.state !== "running") context.resume().catch(() => undefined);
  }

  play(cue: Cue): void {
    this.all[cue]();
  }
}
