// Signs of a browser without a person in front of it.

import { type BrowserFacts, type Detectors, hasAnyName, isChromium, readChromiumFacts } from './browser-facts.ts';
import { CHROMEDRIVER_NAME, PHANTOM_NAMES, SELENIUM_ATTRIBUTES, SELENIUM_NAMES } from './leftover-names.ts';

const HEADLESS_AGENT = /headless|phantomjs|slimerjs|htmlunit|jsdom/i;

/** The values of the Network Information interface. */
const CONNECTION_TYPES: readonly unknown[] = ['slow-2g', '2g', '3g', '4g'];

export const HEADLESS_DETECTORS: Detectors<'headless'> = {
  webdriver: ({ browser }) => browser.navigator.webdriver === true,

  userAgent: ({ browser }) => {
    const brands = readChromiumFacts(browser).userAgentData?.brands ?? [];
    return [browser.navigator.userAgent, ...brands.map(({ brand }) => brand)].some((name) => HEADLESS_AGENT.test(name));
  },

  webGL: ({ browser }) => {
    const renderer = readRenderer(browser);
    return renderer === null || isSoftwareRenderer(renderer);
  },

  phantom: ({ browser }) => hasAnyName(browser, PHANTOM_NAMES),

  selenium: ({ browser }) =>
    [browser, browser.document].some((holder) => hasAnyName(holder, SELENIUM_NAMES) || hasDriverName(holder)) ||
    browser.document.documentElement.getAttributeNames().some((name) => SELENIUM_ATTRIBUTES.includes(name)),

  chrome: ({ browser }) => isChromium(browser) && !('chrome' in browser),

  permissions: async ({ browser }) => {
    // In a frame of another site the two disagree in every Chrome.
    if (browser.self !== browser.top || browser.Notification?.permission !== 'denied') return false;
    const asked = await browser.navigator.permissions?.query({ name: 'notifications' });
    return asked?.state === 'prompt';
  },

  // Elsewhere an empty list is usual: phones, and Firefox whose own PDF viewer is off.
  plugins: ({ browser }) => isChromium(browser) && !isMobile(browser) && browser.navigator.plugins?.length === 0,

  languages: ({ browser }) => !browser.navigator.languages?.length,

  webRTC: ({ browser }) => !hasAnyName(browser, ['RTCPeerConnection', 'webkitRTCPeerConnection']),

  notification: ({ browser }) => !('Notification' in browser),

  deviceMemory: ({ browser }) => !isMemorySize(readChromiumFacts(browser).deviceMemory),

  connectionType: ({ browser }) => !CONNECTION_TYPES.includes(readChromiumFacts(browser).connection?.effectiveType),

  timing: ({ browser }) => behaveOddly(browser),
};

/** ChromeDriver's names carry a build's own letters, so that they are found by their form. */
function hasDriverName(holder: object): boolean {
  return Object.getOwnPropertyNames(holder).some((name) => CHROMEDRIVER_NAME.test(name));
}

function isMobile({ navigator }: BrowserFacts): boolean {
  return /Android|Mobile/.test(navigator.userAgent);
}

/** Browsers round to powers of two. The limits have changed over time, so the range is wider than any of them. */
function isMemorySize(gigabytes: unknown): boolean {
  return (
    typeof gigabytes === 'number' && gigabytes >= 0.25 && gigabytes <= 64 && Number.isInteger(Math.log2(gigabytes))
  );
}

/** Constants of WebGL and of its extension WEBGL_debug_renderer_info. */
const RENDERER = 0x1f01;
const UNMASKED_RENDERER = 0x9246;

const SOFTWARE = /swiftshader|llvmpipe|softpipe|lavapipe|basic render driver|mesa offscreen|software rasterizer/i;

/** Null without WebGL; empty when the browser does not tell. */
function readRenderer({ document }: BrowserFacts): string | null {
  const graphics = document.createElement('canvas').getContext('webgl');
  if (graphics === null) return null;
  // Firefox tells at once and warns of the extension in its console; the others answer with a stand-in.
  const plain = String(graphics.getParameter(RENDERER) ?? '');
  const masked = plain === '' || plain === 'WebKit WebGL';
  const renderer =
    masked && graphics.getExtension('WEBGL_debug_renderer_info')
      ? String(graphics.getParameter(UNMASKED_RENDERER) ?? '')
      : plain;
  // Phones allow a page few of these at a time, and the models may want one.
  const release = graphics.getExtension('WEBGL_lose_context') as { loseContext?(): void } | null;
  release?.loseContext?.();
  return renderer;
}

function isSoftwareRenderer(renderer: string): boolean {
  return SOFTWARE.test(renderer);
}

const READINGS = 50;

/** Longer than the 100 ms to which Firefox and Tor round their clocks when they hide from fingerprinting. */
const PAUSE_MS = 150;

/** A pause that seems shorter than this did not happen. Rounding to 100 ms leaves at least 100 of the 150. */
const LEAST_PAUSE_MS = 60;

/** Two clocks that are each rounded to 100 ms and jittered may differ by 200 over a pause. */
const MOST_DIFFERENCE_MS = 400;

/** A late timer is no sign: busy phones and hidden tabs have them. */
async function behaveOddly(browser: BrowserFacts): Promise<boolean> {
  const readings = Array.from({ length: READINGS }, () => browser.performance.now());
  if (readings.some((reading, index) => !(reading >= (readings[index - 1] ?? 0)))) return true;

  const before = { page: browser.performance.now(), wall: browser.Date.now() };
  await new Promise<void>((resolve) => {
    browser.setTimeout(resolve, PAUSE_MS);
  });
  const pageMs = browser.performance.now() - before.page;
  const wallMs = browser.Date.now() - before.wall;
  // Negated, so that a clock that tells no number is odd too.
  return !(pageMs >= LEAST_PAUSE_MS && Math.abs(pageMs - wallMs) <= MOST_DIFFERENCE_MS);
}
