// A fake browser for the detectors: an ordinary Chrome on Windows with the given differences.

import { EXPECTED_NAMES } from '../../src/signals/anomalies.ts';
import type { BrowserFacts, ChromiumFacts, NavigatorFacts } from '../../src/signals/browser-facts.ts';

export interface BrowserTraits {
  navigator?: Partial<NavigatorFacts> & ChromiumFacts;
  /** Renderer of a `webgl` context; null without WebGL. */
  renderer?: string | null;
  /** Reports the renderer without the extension, like Firefox. */
  tellsRendererPlainly?: boolean;
  /** Null without the interface. The permission query returns `prompt` by default. */
  notification?: 'default' | 'denied' | 'granted' | null;
  /** Additional names on the page. */
  names?: Readonly<Record<string, unknown>>;
  /** Usual names that are missing. */
  missing?: readonly string[];
  documentNames?: Readonly<Record<string, unknown>>;
  rootAttributes?: readonly string[];
  /** Resolution of the clocks. */
  clockMs?: number;
  /** Share of a pause that passes on each clock. */
  pace?: { page: number; wall: number };
}

export const WINDOWS_CHROME_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const CHROME_NAVIGATOR: NavigatorFacts & ChromiumFacts = {
  userAgent: WINDOWS_CHROME_AGENT,
  webdriver: false,
  platform: 'Win32',
  vendor: 'Google Inc.',
  languages: ['en-GB', 'en'],
  plugins: { length: 5 },
  deviceMemory: 8,
  connection: { effectiveType: '4g' },
  userAgentData: brandedAs('Windows', 'Google Chrome'),
  permissions: { query: async () => ({ state: 'prompt' }) },
  mediaDevices: { enumerateDevices: async () => [{ kind: 'audioinput' }, { kind: 'videoinput' }] },
};

/** Client hints of Chromium. */
export function brandedAs(platform: string, brand: string, version = '140'): ChromiumFacts['userAgentData'] {
  return {
    platform,
    brands: [
      { brand: 'Chromium', version },
      { brand, version },
      { brand: 'Not=A?Brand', version: '24' },
    ],
  };
}

export function fakeBrowser(traits: BrowserTraits = {}): BrowserFacts {
  const { notification = 'default', missing = [], clockMs = 0.1, pace = { page: 1, wall: 1 } } = traits;
  const clock = { page: 5000, wall: 1_790_000_000_000 };
  const round = (time: number) => Math.floor(time / clockMs) * clockMs;
  const usual = [...EXPECTED_NAMES, 'RTCPeerConnection', 'chrome'].filter((name) => !missing.includes(name));
  return {
    ...Object.fromEntries(usual.map((name) => [name, {}])),
    ...(notification === null ? {} : { Notification: { permission: notification } }),
    ...traits.names,
    navigator: { ...CHROME_NAVIGATOR, ...traits.navigator },
    document: {
      ...traits.documentNames,
      documentElement: { getAttributeNames: () => ['lang', ...(traits.rootAttributes ?? [])] },
      createElement: () => ({ getContext: () => fakeGraphics(traits) }),
    },
    performance: { now: () => round(clock.page) },
    Date: { now: () => round(clock.wall) },
    setTimeout(callback, delayMs) {
      clock.page += delayMs * pace.page;
      clock.wall += delayMs * pace.wall;
      queueMicrotask(callback);
    },
  };
}

function fakeGraphics({ renderer = 'ANGLE (Intel, Intel(R) UHD Graphics 620)', tellsRendererPlainly }: BrowserTraits) {
  if (renderer === null) return null;
  return {
    getParameter: (name: number) => (name === 0x9246 || tellsRendererPlainly ? renderer : 'WebKit WebGL'),
    getExtension: (name: string) => (name === 'WEBGL_debug_renderer_info' ? {} : null),
  };
}
