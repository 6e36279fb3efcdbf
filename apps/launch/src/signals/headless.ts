// Signs of a browser without a person.

import { type BrowserFacts, type Detectors, hasAnyName, isChromium, readChromiumFacts } from './browser-facts.ts';
import { CHROMEDRIVER_NAME, PHANTOM_NAMES, SELENIUM_ATTRIBUTES, SELENIUM_NAMES } from './leftover-names.ts';

const HEADLESS_AGENT = /headless|phantomjs|slimerjs|htmlunit|jsdom/i;

/** Values of the Network Information API. */
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
    // In a cross-origin frame the two disagree in every Chrome.
    if (browser.self !== browser.top || browser.Notification?.permission !== 'denied') return false;
    const asked = await browser.navigator.permissions?.query({ name: 'notifications' });
    return asked?.state === 'prompt';
  },

  // Other browsers often have an empty list: phones, and Firefox without its PDF viewer.
  plugins: ({ browser }) => isChromium(browser) && !isMobile(browser) && browser.navigator.plugins?.length === 0,

  languages: ({ browser }) => !browser.navigator.languages?.length,

  webRTC: ({ browser }) => !hasAnyName(browser, ['RTCPeerConnection', 'webkitRTCPeerConnection']),

  notification: ({ browser }) => !('Notification' in browser),

  deviceMemory: ({ browser }) => !isMemorySize(readChromiumFacts(browser).deviceMemory),

  connectionType: ({ browser }) => !CONNECTION_TYPES.includes(readChromiumFacts(browser).connection?.effectiveType),

  timing: ({ browser }) => hasOddClocks(browser),
};

/** ChromeDriver's names contain letters that vary by build, so match their pattern. */
function hasDriverName(holder: object): boolean {
  return Object.getOwnPropertyNames(holder).some((name) => CHROMEDRIVER_NAME.test(name));
}

function isMobile({ navigator }: BrowserFacts): boolean {
  return /Android|Mobile/.test(navigator.userAgent);
}

/** Browsers round to powers of two, within limits that have changed over time. */
function isMemorySize(gigabytes: unknown): boolean {
  return (
    typeof gigabytes === 'number' && gigabytes >= 0.25 && gigabytes <= 64 && Number.isInteger(Math.log2(gigabytes))
  );
}

/** Constants of WebGL and of its extension WEBGL_debug_renderer_info. */
const RENDERER = 0x1f01;
const UNMASKED_RENDERER = 0x9246;

const SOFTWARE = /swiftshader|llvmpipe|softpipe|lavapipe|basic render driver|mesa offscreen|software rasterizer/i;

/** Returns null without WebGL; empty if the browser hides the renderer. */
function readRenderer({ document }: BrowserFacts): string | null {
  const graphics = document.createElement('canvas').getContext('webgl');
  if (graphics === null) return null;
  // Firefox reports it directly and warns about the extension; other browsers return a placeholder.
  const plain = String(graphics.getParameter(RENDERER) ?? '');
  const masked = plain === '' || plain === 'WebKit WebGL';
  const renderer =
    masked && graphics.getExtension('WEBGL_debug_renderer_info')
      ? String(graphics.getParameter(UNMASKED_RENDERER) ?? '')
      : plain;
  // Phones limit the number of contexts per page, and the models may need one.
  const release = graphics.getExtension('WEBGL_lose_context') as { loseContext?(): void } | null;
  release?.loseContext?.();
  return renderer;
}

function isSoftwareRenderer(renderer: string): boolean {
  return SOFTWARE.test(renderer);
}

const READINGS = 50;

/** Longer than the 100 ms to which Firefox and Tor round their clocks against fingerprinting. */
const PAUSE_MS = 150;

/** A shorter measured pause did not happen. Rounding to 100 ms leaves at least 100 of the 150. */
const MIN_PAUSE_MS = 60;

/** Two clocks that are rounded to 100 ms and jittered may differ by 200 over a pause. */
const MAX_DIFFERENCE_MS = 400;

/** A late timer is no sign: it happens on busy phones and in hidden tabs. */
async function hasOddClocks(browser: BrowserFacts): Promise<boolean> {
  const readings = Array.from({ length: READINGS }, () => browser.performance.now());
  if (readings.some((reading, index) => !(reading >= (readings[index - 1] ?? 0)))) return true;

  const before = { page: browser.performance.now(), wall: browser.Date.now() };
  await new Promise<void>((resolve) => {
    browser.setTimeout(resolve, PAUSE_MS);
  });
  const pageMs = browser.performance.now() - before.page;
  const wallMs = browser.Date.now() - before.wall;
  // Negated, so that NaN is odd too.
  return !(pageMs >= MIN_PAUSE_MS && Math.abs(pageMs - wallMs) <= MAX_DIFFERENCE_MS);
}
