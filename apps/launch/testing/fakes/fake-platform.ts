// A fake browser with a clock that tests advance.
import type { Platform } from '../../src/flow/platform.ts';

export interface FakePlatform extends Platform {
  /** Advances the clock and runs due callbacks in order. */
  pass(ms: number): void;
  /** Advances the clock without running callbacks. */
  sleep(ms: number): void;
  setVisible(isVisible: boolean): void;
  comeOnline(): void;
  /** Returns false if the page would have been left. */
  pressBack(): boolean;
  /** The person returns to the page through the history. */
  revisit(): void;
  /** Forbids navigating the window around the page. */
  hold(): void;
  /** The embedding page starts to listen. */
  listen(): void;
  readonly reloads: number;
  /** Pending timers. */
  readonly timers: number;
  /** Pending listeners of other kinds. */
  readonly listeners: number;
  readonly fragmentsDropped: number;
  /** Null: a listening host without a URL. */
  readonly leftFor: readonly (string | null)[];
  /** Lines for the console. */
  readonly notes: readonly string[];
}

export function createFakePlatform({
  isComputer = false,
  wantsNoColours: wantsNoColors = false,
  savesData = false,
} = {}): FakePlatform {
  let now = 1_000;
  let isVisible = true;
  let isRevisited = false;
  let isHeld = false;
  let fragmentsDropped = 0;
  let reloads = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  const visibility = createListeners();
  const online = createListeners();
  const back = createListeners();
  const leftFor: (string | null)[] = [];
  const hosts = createListeners();
  let hasHost = false;
  const notes: string[] = [];
  return {
    now: () => now,
    after(delayMs, callback) {
      const timer = { at: now + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    isVisible: () => isVisible,
    onVisibility: visibility.add,
    onOnline: online.add,
    guardBack: back.add,
    dropFragment() {
      fragmentsDropped += 1;
    },
    leaveFor(url) {
      if (isHeld) return false;
      leftFor.push(url);
      return true;
    },
    reload() {
      reloads += 1;
    },
    staysAtEnd: () => isRevisited,
    siteAround: () => (hasHost ? 'shop.example' : undefined),
    hasHost: () => hasHost,
    onHost: (callback) => void (hasHost || hosts.add(callback)),
    isComputer: () => isComputer,
    wantsNoColours: () => wantsNoColors,
    savesData: () => savesData,
    nameDevice: () => ({ browser: 'Firefox', system: 'Linux' }),
    note: (text) => void notes.push(text),
    notes,

    pass(ms) {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.callback();
      }
      now = until;
    },
    sleep(ms) {
      now += ms;
    },
    setVisible(value) {
      isVisible = value;
      visibility.call();
    },
    comeOnline: online.call,
    hold() {
      isHeld = true;
    },
    listen() {
      hasHost = true;
      hosts.call();
    },
    revisit() {
      isRevisited = true;
    },
    get reloads() {
      return reloads;
    },
    pressBack() {
      back.call();
      return back.count() > 0;
    },
    get timers() {
      return timers.size;
    },
    get listeners() {
      return visibility.count() + online.count();
    },
    get fragmentsDropped() {
      return fragmentsDropped;
    },
    leftFor,
  };
}

function createListeners() {
  const callbacks = new Set<() => void>();
  return {
    add(callback: () => void) {
      const own = () => callback();
      callbacks.add(own);
      return () => {
        callbacks.delete(own);
      };
    },
    call() {
      for (const callback of [...callbacks]) callback();
    },
    count: () => callbacks.size,
  };
}
