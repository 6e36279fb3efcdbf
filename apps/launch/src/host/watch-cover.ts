// Detects whether the required texts were ever visible. A host could cover the frame, make it
// transparent, or clip it to the button. Needs IntersectionObserver v2; other browsers cannot tell.

/** Time for which each text must be visible, and the maximum wait after a press. */
const SEEN_MS = 500;
const WAIT_MS = 1_500;
/** Minimum that browsers accept. */
const DELAY_MS = 100;
/** Share of a text that must be visible at once. */
const SHARE = 0.9;

interface VisibleEntry {
  readonly target: Element;
  readonly intersectionRatio: number;
  readonly isVisible?: boolean;
}

export interface CoverWatch {
  /** Sets the observed texts. Texts that are already observed keep their state. */
  watch(texts: readonly Element[]): void;
  /**
   * Returns whether all texts have been visible, after a short wait for the remaining ones. Current
   * visibility does not count: browsers report a cover for the whole frame, and a host's sticky
   * header covers a corner after scrolling.
   */
  wasSeen(): Promise<boolean>;
}

export function createCoverWatch(): CoverWatch | undefined {
  if (!('isVisible' in (globalThis.IntersectionObserverEntry?.prototype ?? {}))) return undefined;
  /** Time since which a text is visible; null while hidden; true once seen. */
  const watched = new Map<Element, number | null | true>();

  function hasBeenSeen(text: Element): boolean {
    const since = watched.get(text);
    if (typeof since === 'number' && performance.now() - since >= SEEN_MS) watched.set(text, true);
    return watched.get(text) === true;
  }

  // TypeScript's options lack `trackVisibility` and `delay`.
  const options = { threshold: [0, SHARE], trackVisibility: true, delay: DELAY_MS };
  const observer = new IntersectionObserver((entries: readonly VisibleEntry[]) => {
    for (const { target, isVisible, intersectionRatio } of entries) {
      if (hasBeenSeen(target) || !watched.has(target)) continue;
      const isSeen = isVisible === true && intersectionRatio >= SHARE;
      watched.set(target, isSeen ? (watched.get(target) ?? performance.now()) : null);
    }
  }, options);

  async function waitFor(text: Element): Promise<boolean> {
    const until = performance.now() + WAIT_MS;
    // In a small frame the text may be scrolled out of view.
    if (!hasBeenSeen(text)) text.scrollIntoView({ block: 'nearest' });
    while (!hasBeenSeen(text) && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    return hasBeenSeen(text);
  }

  return {
    watch(texts) {
      for (const removed of [...watched.keys()].filter((text) => !texts.includes(text))) {
        observer.unobserve(removed);
        watched.delete(removed);
      }
      for (const text of texts.filter((candidate) => !watched.has(candidate))) {
        watched.set(text, null);
        observer.observe(text);
      }
    },
    async wasSeen() {
      for (const text of [...watched.keys()]) if (!(await waitFor(text))) return false;
      return true;
    },
  };
}
