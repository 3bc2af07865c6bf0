/** Keeps what is typed in this browser, one text for each document, so that a closed tab loses nothing. */

const PREFIX = "scorebook.lab/";

/** Return what was typed into a document before, or null. A browser may refuse to keep anything. */
export function kept(document: string): string | null {
  try {
    return localStorage.getItem(PREFIX + document);
  } catch {
    return null;
  }
}

/** Keep the text of a document; return whether that was possible. */
export function keep(document: string, text: string): boolean {
  try {
    localStorage.setItem(PREFIX + document, text);
    return true;
  } catch {
    return false;
  }
}

/** Forget a document. */
export function forget(document: string): void {
  try {
    localStorage.removeItem(PREFIX + document);
  } catch {
    return;
  }
}
