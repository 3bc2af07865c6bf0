/** Theatre: the table in the whole window, and on the whole screen where the browser allows it. */

class Theatre {
  on: boolean = $state(false);
  private listening = false;

  toggle(): void {
    this.set(!this.on);
    const { documentElement: page } = document;
    if (!this.listening)
      document.addEventListener("fullscreenchange", () => !document.fullscreenElement && this.on && this.set(false));
    this.listening = true;
    // A frame of another site and some phones have no whole screen; the window has to do there.
    if (this.on) page.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement) void document.exitFullscreen();
  }

  private set(on: boolean): void {
    this.on = on;
    document.documentElement.classList.toggle("theatre", on);
    window.dispatchEvent(new Event("resize")); // the table has more room, or less
  }
}

export const theatre = new Theatre();
