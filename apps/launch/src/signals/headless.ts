// Signs of a browser without a person in front of it.
import { type BrowserFacts, type Detectors, hasAnyName, isChromium, readChromiumFacts } from './browser-facts.ts';
import { isSoftwareRenderer, readRenderer } from './graphics.ts';
import { CHROMEDRIVER_NAME, PHANTOM_NAMES, SELENIUM_ATTRIBUTES, SELENIUM_NAMES } from './leftover-names.ts';
import { behaveOddly } from './timing.ts';

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
