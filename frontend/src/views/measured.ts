/** Reports the width of an element: `bind:clientWidth` brings more of Svelte's runtime into the first load. */

import type { Attachment } from "svelte/attachments";

export function measured(take: (width: number) => void): Attachment<HTMLElement> {
  return (element) => {
    const observer = new ResizeObserver(() => take(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  };
}
