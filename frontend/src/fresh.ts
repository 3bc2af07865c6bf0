/**
 * What the server has written round the island, the heading and the game in words, fetched anew when the game is over.
 */

/** The page as the server writes it now; its parts that are marked so take the place of the old ones. */
export async function refresh(): Promise<Document> {
  const answer = await fetch(window.location.href);
  if (!answer.ok) throw new Error(`The page was refused with ${answer.status}.`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of document.querySelectorAll<HTMLElement>("[data-fresh]")) {
    const fresh = page.querySelector(`[data-fresh="${old.dataset.fresh}"]`);
    if (!fresh) continue;
    if (old.querySelector("details")?.open) fresh.querySelector("details")?.setAttribute("open", "");
    old.replaceWith(fresh);
  }
  return page;
}

/** To be told the game's status again and again: fetches the page anew, once, when it is not the `first` any more. */
export function whenOver(first: string): (status: string) => void {
  let known = first;
  return (status) => {
    if (status === known) return;
    const before = known;
    known = status;
    refresh().catch(() => (known = before)); // the next news tries again
  };
}
