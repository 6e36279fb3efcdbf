// Browser features that the flow needs. Tests replace them.
import { type DeviceName, type DeviceTraits, nameDevice } from './session/name-device.ts';

export interface Platform {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Calls back once. Returns a function that cancels the timer. */
  after(delayMs: number, callback: () => void): () => void;
  isVisible(): boolean;
  /** Calls back when the page is hidden or shown. Returns a function that removes the listener. */
  onVisibility(callback: () => void): () => void;
  /** Calls back when the network seems to be back. Returns a function that removes the listener. */
  onOnline(callback: () => void): () => void;
  /** Calls back on the back button. Returns a function that releases it. No effect in a frame. */
  guardBack(callback: () => void): () => void;
  /** Removes the one-time code from the address. */
  dropFragment(): void;
  /**
   * Replaces this page in the history. In a frame, navigates the embedding page instead; returns
   * false if that is not allowed. Null: the listening host knows the target.
   */
  leaveFor(url: string | null): boolean;
  /** Host of the outermost page, as in the browser's prompts, if there is one and it is known. */
  siteAround(): string | undefined;
  /** Whether the page is in a frame and its host listens. */
  hasHost(): boolean;
  /** Calls back when a host starts listening; never if it already does. */
  onHost(callback: () => void): void;
  reload(): void;
  /**
   * Whether the end stays until the person continues: they came back to it in the history, or it is
   * in a frame without a listening host.
   */
  staysAtEnd(): boolean;
  /** Whether the device is a desktop or laptop, as far as the browser shows. */
  isComputer(): boolean;
  /** Whether the system reduces motion or replaces colors. */
  wantsNoColours(): boolean;
  /** Whether the browser is set to save data. */
  savesData(): boolean;
  /** Common names of the browser and its system. */
  nameDevice(): DeviceName;
  /** Logs a line to the console. */
  note(text: string): void;
}

/** Reduced motion, or inverted or replaced colors, which would change the light of the screen. */
const NO_COLORS = '(prefers-reduced-motion: reduce), (inverted-colors: inverted), (forced-colors: active)';

/** The page around a frame. */
interface Surroundings {
  isTaken(): boolean;
  taken: Promise<unknown>;
  /** Returns false if no host listens. */
  leave(): boolean;
}

export function createBrowserPlatform(host: Surroundings | undefined): Platform {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  let isRevisited = navigation?.type === 'back_forward';
  // The page was restored from the back/forward cache.
  listen(window, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) isRevisited = true;
  });
  return {
    now: () => performance.now(),
    after(delayMs, callback) {
      // A longer delay would overflow and fire at once.
      const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
    isVisible: () => document.visibilityState === 'visible',
    onVisibility: (callback) => listen(document, 'visibilitychange', callback),
    onOnline: (callback) => listen(window, 'online', callback),
    guardBack(callback) {
      // A frame shares its history with the host, so an added entry would break the host's back
      // button.
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
    wantsNoColours: () => matchMedia(NO_COLORS).matches,
    savesData: () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true,
    nameDevice: () => nameDevice(navigator as DeviceTraits),
    note: (text) => console.info(text),
  };
}

/** Falls back to the referrer where browsers do not expose ancestors. The host may hide it. */
function siteAround(): string | undefined {
  const outermost = Array.from(location.ancestorOrigins ?? []).at(-1) ?? document.referrer;
  return URL.canParse(outermost) ? new URL(outermost).host : undefined;
}

/** Navigates the top window. Browsers allow this only after a press, if at all. */
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

/** Tablets count as phones. An iPad identifies as a Mac, but no Mac has a touch screen. */
function isComputer(): boolean {
  const { userAgentData, userAgent, maxTouchPoints } = navigator as Navigator & { userAgentData?: { mobile: boolean } };
  if (userAgentData?.mobile) return false;
  if (/Android|iPhone|iPad|iPod|Mobile|Tablet/i.test(userAgent)) return false;
  return !(/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
