/**
 * The width of an element, and its styles. `bind:clientWidth` and `style:` would bring more of Svelte's runtime into
 * the first load of a page.
 */

import type { Attachment } from "svelte/attachments";

export function measured(take: (width: number) => void): Attachment<HTMLElement> {
  return (element) => {
    const observer = new ResizeObserver(() => take(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  };
}

export function styled(styles: Partial<CSSStyleDeclaration>): Attachment<HTMLElement> {
  return (element) => void Object.assign(element.style, styles);
}
