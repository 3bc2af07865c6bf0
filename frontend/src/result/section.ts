/**
 * The result as the server wrote it into the page. The card takes this section in while it is open, so that its words,
 * links and forms exist once, and a page without scripts says the same.
 */

const AGAIN_MS = 10_000;
const MOST_QUESTIONS = 30;

export const resultSection = (root: ParentNode = document): HTMLElement | null =>
  root.querySelector<HTMLElement>('[data-fresh="result"]');

/** Move the section into `place`. Returns a function that puts it back below the island. */
export function takeIn(place: HTMLElement): () => void {
  const section = resultSection();
  if (section) place.append(section);
  return () => {
    const now = resultSection(place); // it may have been refreshed meanwhile
    if (now) document.getElementById("replay")?.after(now);
  };
}

/** Put what the page's program offers next in place of what the server wrote. Returns a function that removes it. */
export function putIn(own: HTMLElement): () => void {
  resultSection()?.querySelector('[data-fresh="after"]')?.append(own);
  return () => own.remove();
}

/** Show the section as it is now. The focus stays on its heading; the reader is not disturbed anywhere else in it. */
function replace(old: HTMLElement, fresh: HTMLElement): void {
  const [heading, focused] = [old.querySelector("h2"), document.activeElement];
  if (old.contains(focused) && focused !== heading) return;
  const own = old.querySelector<HTMLElement>(".own");
  old.replaceWith(fresh);
  if (own) putIn(own);
  if (focused === heading) fresh.querySelector("h2")?.focus({ preventScroll: true });
}

/** Ask for the section again while luck or ratings are still to come. Returns a function that stops it. */
export function fillIn(fetched: () => Promise<string>, later = window.setTimeout): () => void {
  let stopped = false;
  let asked = 0;
  const again = (): void => {
    if (resultSection()?.dataset.waits !== undefined && asked++ < MOST_QUESTIONS) later(() => void ask(), AGAIN_MS);
  };
  const ask = async (): Promise<void> => {
    if (stopped) return;
    try {
      const answer = new DOMParser().parseFromString(await fetched(), "text/html");
      const fresh = answer.querySelector<HTMLElement>('[data-fresh="result"]:not([hidden])');
      const old = resultSection();
      if (!stopped && fresh && old) replace(old, fresh);
    } catch {
      // the next question may be answered
    }
    again();
  };
  again();
  return () => {
    stopped = true;
  };
}

/** Fetch the section alone, for the page's own viewpoint. */
export async function fetchSection(viewpoint: string): Promise<string> {
  const answer = await fetch(`${window.location.pathname}?viewpoint=${viewpoint}&part=result`);
  if (!answer.ok) throw new Error(`The result was refused with ${answer.status}.`);
  return answer.text();
}
