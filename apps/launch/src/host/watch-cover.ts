// Whether what the person has to read before they begin was ever to be seen: a host could lay something over the frame, or make
// it transparent. Browsers that tell have version 2 of IntersectionObserver; in the others there is nothing to go by.

/** How long the text must have been there, and how long a press waits for that. */
const SEEN_MS = 500;
const WAIT_MS = 1_500;
/** The least that browsers take. */
const DELAY_MS = 100;

interface VisibleEntry {
  readonly isVisible?: boolean;
}

export interface CoverWatch {
  /** Looks at it from now on; the same again changes nothing. */
  watch(text: Element): void;
  /**
   * Whether it has been seen, after a moment of waiting where it has not yet. Not whether it is seen at this moment: browsers
   * tell of a frame as a whole, and a host whose header stays in place covers a corner of it as soon as somebody scrolls.
   */
  wasSeen(): Promise<boolean>;
}

export function createCoverWatch(): CoverWatch | undefined {
  if (!('isVisible' in (globalThis.IntersectionObserverEntry?.prototype ?? {}))) return undefined;
  let watched: Element | undefined;
  let seenSince: number | undefined;
  let wasSeen = false;

  function look(): boolean {
    if (seenSince !== undefined && performance.now() - seenSince >= SEEN_MS) wasSeen = true;
    return wasSeen;
  }

  // `trackVisibility` and its delay are not among TypeScript's options.
  const options = { threshold: 0, trackVisibility: true, delay: DELAY_MS };
  const observer = new IntersectionObserver((entries) => {
    look();
    const isVisible = (entries.at(-1) as VisibleEntry).isVisible === true;
    seenSince = isVisible ? (seenSince ?? performance.now()) : undefined;
  }, options);

  return {
    watch(text) {
      if (watched === text) return;
      observer.disconnect();
      watched = text;
      seenSince = undefined;
      wasSeen = false;
      observer.observe(text);
    },
    async wasSeen() {
      const until = performance.now() + WAIT_MS;
      // In a small frame it may have been out of sight: then it is shown first.
      if (!look()) watched?.scrollIntoView({ block: 'nearest' });
      while (!look() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      return look();
    },
  };
}
