/** Refreshes the parts of the page around the island, such as the heading and the list of moves, when the game ends. */

import type { Page } from "./types";

/** Load the page again and replace its title and its parts that have `data-fresh`. Returns the new page. */
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
  document.title = page.title;
  return page;
}

/** Return what a page says to its island. */
export function pageOf(page: Document): Page | null {
  const said = page.getElementById("replay-page")?.textContent;
  return said ? (JSON.parse(said) as Page) : null;
}

/**
 * Return a function that takes, after each change, whether the game is over. It refreshes the page once when a game
 * ends that was not over at `first`, and passes on what the new page says.
 */
export function whenOver(first: boolean, take: (page: Page) => void): (over: boolean) => void {
  let known = first;
  return (over) => {
    if (!over || known) return;
    known = true;
    refresh().then(
      (fresh) => {
        const page = pageOf(fresh);
        if (page) take(page);
      },
      () => (known = false), // the next change tries again
    );
  };
}
