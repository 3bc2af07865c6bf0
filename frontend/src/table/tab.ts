/** The browser's tab says that it is the player's turn: in its title, and by a badge on its icon. */

import { _ } from "../gettext";

/** The page's own title. */
export const pageTitle = typeof document === "undefined" ? "" : document.title;

/** Show in the tab whether it is the player's turn. The template names the icon with the badge in `data-turn`. */
export function markTab(mine: boolean): void {
  document.title = mine ? `● ${_("Your turn")} · ${pageTitle}` : pageTitle;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!icon?.dataset.turn) return;
  icon.dataset.own ??= icon.href;
  const href = mine ? icon.dataset.turn : icon.dataset.own;
  if (icon.getAttribute("href") !== href) icon.href = href;
}
