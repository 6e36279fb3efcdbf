// Whether what the person has to read before they begin was ever to be seen: a host could lay something over the frame, make it
// transparent, or cut all of it off but the button. Browsers that tell have version 2 of IntersectionObserver; in the others
// there is nothing to go by.

/** How long each text must have been there, and how long a press waits for that. */
const SEEN_MS = 500;
const WAIT_MS = 1_500;
/** The least that browsers take. */
const DELAY_MS = 100;
/** Of a text, that must have been in sight at once. */
const SHARE = 0.9;

interface VisibleEntry {
  readonly target: Element;
  readonly intersectionRatio: number;
  readonly isVisible?: boolean;
}

export interface CoverWatch {
  /** Looks at each of them from now on; the same again changes nothing. */
  watch(texts: readonly Element[]): void;
  /**
   * Whether all have been seen, after a moment of waiting for each that has not yet. Not whether they are seen at this moment:
   * browsers tell of a frame as a whole what lies over it, and a host whose header stays in place covers a corner of it as soon
   * as somebody scrolls.
   */
  wasSeen(): Promise<boolean>;
}

export function createCoverWatch(): CoverWatch | undefined {
  if (!('isVisible' in (globalThis.IntersectionObserverEntry?.prototype ?? {}))) return undefined;
  /** Since when each is to be seen; null while it is not; true once it was. */
  const watched = new Map<Element, number | null | true>();

  function look(text: Element): boolean {
    const since = watched.get(text);
    if (typeof since === 'number' && performance.now() - since >= SEEN_MS) watched.set(text, true);
    return watched.get(text) === true;
  }

  // `trackVisibility` and its delay are not among TypeScript's options.
  const options = { threshold: [0, SHARE], trackVisibility: true, delay: DELAY_MS };
  const observer = new IntersectionObserver((entries: readonly VisibleEntry[]) => {
    for (const { target, isVisible, intersectionRatio } of entries) {
      if (look(target) || !watched.has(target)) continue;
      const isSeen = isVisible === true && intersectionRatio >= SHARE;
      watched.set(target, isSeen ? (watched.get(target) ?? performance.now()) : null);
    }
  }, options);

  async function waitFor(text: Element): Promise<boolean> {
    const until = performance.now() + WAIT_MS;
    // In a small frame it may have been out of sight: then it is shown first.
    if (!look(text)) text.scrollIntoView({ block: 'nearest' });
    while (!look(text) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    return look(text);
  }

  return {
    watch(texts) {
      for (const gone of [...watched.keys()].filter((text) => !texts.includes(text))) {
        observer.unobserve(gone);
        watched.delete(gone);
      }
      for (const text of texts.filter((one) => !watched.has(one))) {
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
