// Whether what the person has to read before they begin is really seen: a host could lay something over the frame, or make it
// transparent. Browsers that tell have version 2 of IntersectionObserver; in the others there is nothing to go by.

/** How long the text must have been there to be read at all, and how long a press waits for that. */
const SEEN_MS = 500;
const WAIT_MS = 1_500;
const DELAY_MS = 100;

interface VisibleEntry {
  readonly isVisible?: boolean;
}

export interface CoverWatch {
  /** Looks at these from now on; the same ones again change nothing. */
  watch(text: Element, buttons: Element): void;
  /** Whether the text has been seen and the buttons are to be seen now, after a moment of waiting where they are not yet. */
  isSeen(): Promise<boolean>;
}

export function createCoverWatch(): CoverWatch | undefined {
  if (!('isVisible' in (globalThis.IntersectionObserverEntry?.prototype ?? {}))) return undefined;
  let watched: Element[] = [];
  let seenSince: number | undefined;
  let wasRead = false;
  let areButtonsSeen = false;
  let wake = () => {};

  // `trackVisibility` and its least delay are not among TypeScript's options.
  const options = { threshold: [0, 0.25, 0.5, 0.75, 1], trackVisibility: true, delay: DELAY_MS };
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const isVisible = (entry as VisibleEntry).isVisible === true;
      if (entry.target === watched[1]) areButtonsSeen = isVisible;
      else if (isVisible) seenSince ??= performance.now();
      else {
        note();
        seenSince = undefined;
      }
    }
    wake();
  }, options);

  function note(): void {
    if (seenSince !== undefined && performance.now() - seenSince >= SEEN_MS) wasRead = true;
  }

  const isSeenNow = () => {
    note();
    return wasRead && areButtonsSeen;
  };

  return {
    watch(text, buttons) {
      if (watched[0] === text && watched[1] === buttons) return;
      observer.disconnect();
      watched = [text, buttons];
      seenSince = undefined;
      wasRead = areButtonsSeen = false;
      observer.observe(text);
      observer.observe(buttons);
    },
    async isSeen() {
      const until = performance.now() + WAIT_MS;
      while (!isSeenNow() && performance.now() < until) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, DELAY_MS);
        });
      }
      return isSeenNow();
    },
  };
}
