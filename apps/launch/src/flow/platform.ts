// What the flow needs of the browser around it, so that tests can stand in for one.
import { type DeviceName, type DeviceTraits, nameDevice } from './session/name-device.ts';

export interface Platform {
  /** Milliseconds on a clock that is never set. */
  now(): number;
  /** Calls back once; the result stops it. */
  after(delayMs: number, callback: () => void): () => void;
  isVisible(): boolean;
  /** Whenever the page is hidden or seen again; the result stops it. */
  onVisibility(callback: () => void): () => void;
  /** Whenever the network seems to be back; the result stops it. */
  onOnline(callback: () => void): () => void;
  /** From now on the back button calls back instead of leaving; the result lets it leave again. In a frame it is the host's. */
  guardBack(callback: () => void): () => void;
  /** The address without the one-time code, which works once. */
  dropFragment(): void;
  /**
   * In place of this page: the way back does not lead to it. A frame is never led away, but what is around it. False where that
   * does not let itself be led, as around a frame that was made without the right to. Null: a host that listens knows where to.
   */
  leaveFor(url: string | null): boolean;
  /** Whose page this one is a part of, as the browser's questions call it: the host of the outermost. Undefined where it is whole, or not known. */
  siteAround(): string | undefined;
  /** In a frame, and what is around it listens. */
  hasHost(): boolean;
  /** Once it does; not where it did already. */
  onHost(callback: () => void): void;
  reload(): void;
  /**
   * Whether the end stays until the person goes on: they came back to it by the browser's own back and forward, or it is in a
   * frame that nobody listens to.
   */
  staysAtEnd(): boolean;
  /** A desktop or laptop, as far as a browser tells. */
  isComputer(): boolean;
  /** Whether the system was told that what changes troubles the person, or changes colours itself. */
  wantsNoColours(): boolean;
  /** Whether the person asked the browser to fetch no more than it must. */
  savesData(): boolean;
  /** What people call this browser and its system. */
  nameDevice(): DeviceName;
  /** A line for who looks into the page's console. */
  note(text: string): void;
}

/** Less motion; and where colours are inverted or replaced, the screen would not shine in what it is told to show. */
const NO_COLOURS = '(prefers-reduced-motion: reduce), (inverted-colors: inverted), (forced-colors: active)';

/** What is around a frame. */
interface Surroundings {
  isTaken(): boolean;
  taken: Promise<unknown>;
  /** False where nobody is there to hear it. */
  leave(): boolean;
}

export function createBrowserPlatform(host: Surroundings | undefined): Platform {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  let isRevisited = navigation?.type === 'back_forward';
  // A page that the browser had put aside goes on where it was.
  listen(window, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) isRevisited = true;
  });
  return {
    now: () => performance.now(),
    after(delayMs, callback) {
      // Longer ones would fire at once.
      const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
    isVisible: () => document.visibilityState === 'visible',
    onVisibility: (callback) => listen(document, 'visibilitychange', callback),
    onOnline: (callback) => listen(window, 'online', callback),
    guardBack(callback) {
      // What a frame puts into the history is the host's, too: the way back from its page would lead nowhere.
      if (host) return () => undefined;
      const stay = () => history.pushState({ stays: true }, '');
      stay();
      const stop = listen(window, 'popstate', () => {
        stay();
        callback();
      });
      return stop;
    },
    dropFragment: () => history.replaceState(history.state, '', location.pathname + location.search),
    leaveFor(url) {
      if (!host && url !== null) location.replace(url);
      return !host || host.leave() || (url !== null && leadTop(url));
    },
    siteAround: () => (host ? siteAround() : undefined),
    hasHost: () => host?.isTaken() === true,
    onHost: (callback) => host?.isTaken() === false && void host.taken.then(callback),
    reload: () => location.reload(),
    staysAtEnd: () => isRevisited || host?.isTaken() === false,
    isComputer,
    wantsNoColours: () => matchMedia(NO_COLOURS).matches,
    savesData: () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true,
    nameDevice: () => nameDevice(navigator as DeviceTraits),
    note: (text) => console.info(text),
  };
}

/** Where a browser does not tell what is around a frame, the one that made it is known, unless that keeps itself secret. */
function siteAround(): string | undefined {
  const outermost = Array.from(location.ancestorOrigins ?? []).at(-1) ?? document.referrer;
  return URL.canParse(outermost) ? new URL(outermost).host : undefined;
}

/** Allowed after a press, if at all. */
function leadTop(url: string): boolean {
  try {
    return window.open(url, '_top') !== null;
  } catch {
    return false;
  }
}

function listen(target: EventTarget, event: string, callback: (event: Event) => void): () => void {
  target.addEventListener(event, callback);
  return () => target.removeEventListener(event, callback);
}

/** Tablets count as phones. An iPad calls itself a Mac, but no Mac has a touch screen. */
function isComputer(): boolean {
  const { userAgentData, userAgent, maxTouchPoints } = navigator as Navigator & { userAgentData?: { mobile: boolean } };
  if (userAgentData?.mobile) return false;
  if (/Android|iPhone|iPad|iPod|Mobile|Tablet/i.test(userAgent)) return false;
  return !(/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
