/** Python in a hidden frame of an opaque origin (docs/adr/0038-the-lab.md). It is loaded when it is first wanted. */

import { _ } from "../gettext";
import { type Image, keepImage } from "./image";
import { loadParts } from "./parts";
import { Runner } from "./runner";

/** What a page knows of it: the addresses of the framed page, and of the wheels of the library and of other kinds. */
export interface PythonPage {
  frame: string;
  wheels: string[];
}

export class Python {
  readonly runner: Runner;
  private frame: HTMLIFrameElement | null = null;
  /** Resolves when the framed page has come, whose script then listens. */
  private framed: Promise<unknown> = Promise.resolve();
  private begun = false;
  /** What the image of this Python is kept by; "" once it is here or comes too late. */
  private key = "";

  constructor(
    private readonly page: PythonPage,
    private readonly language: string,
  ) {
    this.runner = new Runner({
      post: (message) => this.frame?.contentWindow?.postMessage(message, "*"), // it has an opaque origin
      later(ms, call) {
        const timer = window.setTimeout(call, ms);
        return () => window.clearTimeout(timer);
      },
    });
  }

  /** Whether this browser can run it. */
  private readonly able = typeof WebAssembly === "object" && typeof Worker === "function";

  /** Put the hidden frame into a page. Where Python cannot run, say so at once. */
  place(host: HTMLElement): void {
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.title = _("Where the bots run");
    frame.sandbox.add("allow-scripts");
    frame.src = this.page.frame;
    this.framed = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
    this.frame = frame;
    window.addEventListener("message", ({ data, source }) => {
      if (source === frame.contentWindow) this.take(data as Record<string, unknown>);
    });
    host.append(frame);
    if (!this.able) this.runner.take({ broken: "WebAssembly is missing." });
  }

  /** Keep an image only if it comes before a bot's file can have run, which could send another one. */
  private take(message: Record<string, unknown>): void {
    if (message.image && this.key) void keepImage(this.key, message.image as Image);
    if (message.image || message.ready) this.key = "";
    if (!message.image) this.runner.take(message);
  }

  /** Load Python, unless that has begun. If it cannot be loaded, the next call tries again. */
  async wake(): Promise<void> {
    if (this.begun || !this.able) return;
    this.begun = true;
    this.runner.wake();
    try {
      await this.framed;
      const { parts, key } = await loadParts(this.page.wheels, this.language);
      this.key = key;
      this.runner.start(parts);
    } catch {
      this.begun = false;
      this.runner.lose();
    }
  }
}
