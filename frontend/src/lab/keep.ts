/** Keeps what is typed in this browser, one text for each document, so that a closed tab loses nothing. */

const PREFIX = "scorebook.lab/";
/** How long after the last change a text is kept, in ms. */
export const PAUSE_MS = 200;

/** Return what was typed into a document before, or null. A browser may refuse to keep anything. */
export function kept(document: string): string | null {
  try {
    return localStorage.getItem(PREFIX + document);
  } catch {
    return null;
  }
}

function keep(document: string, text: string): boolean {
  try {
    localStorage.setItem(PREFIX + document, text);
    return true;
  } catch {
    return false;
  }
}

/** The text that is edited. */
interface Text {
  text(): string;
  replace(text: string): void;
}

/**
 * Keeps the text of a document. Several tabs may edit the same one, so each writes only what was typed in it, and takes
 * over what was typed in another.
 */
export class Keeper {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private refused = false;

  constructor(
    private readonly document: string,
    private readonly edited: Text,
    /** Called when the browser keeps nothing. */
    private readonly warn: () => void,
  ) {}

  /** Keep the text soon: it was changed. */
  changed(): void {
    this.callOff();
    this.timer = setTimeout(() => this.store(), PAUSE_MS);
  }

  /** Keep at once what was changed: the page is being left. */
  store(): void {
    if (this.timer === null) return;
    this.callOff();
    this.refused = !keep(this.document, this.edited.text());
    if (this.refused) this.warn();
  }

  /** Take over what another tab may have kept meanwhile. */
  renew(): void {
    const text = kept(this.document);
    if (this.timer !== null || this.refused || text === null || text === this.edited.text()) return;
    this.edited.replace(text);
    this.callOff(); // it is kept already, and may be changed there again
  }

  private callOff(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}
