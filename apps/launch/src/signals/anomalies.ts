// Other oddities: what is missing, what contradicts itself, and what tools leave behind.
import { type BrowserFacts, type Detectors, hasAnyName, isChromium, readChromiumFacts } from './browser-facts.ts';
import { AUTOMATION_NAMES } from './leftover-names.ts';

/** Each has been in Safari, Chrome and Firefox since 2022 at the latest. */
export const EXPECTED_NAMES = [
  'AbortController',
  'BigInt',
  'BroadcastChannel',
  'IntersectionObserver',
  'Promise',
  'ResizeObserver',
  'TextEncoder',
  'WebAssembly',
  'WebSocket',
  'Worker',
  'crypto',
  'customElements',
  'fetch',
  'indexedDB',
  'queueMicrotask',
  'structuredClone',
];

export const ANOMALY_DETECTORS: Detectors<'browserAnomalies'> = {
  missingWebAPIs: ({ browser }) => EXPECTED_NAMES.some((name) => !(name in browser)),

  inconsistentFingerprint: ({ browser }) =>
    nameSystems(browser).size > 1 || hasVendorOfAnother(browser) || hasVersionOfAnother(browser),

  automationProperties: ({ browser }) => hasAnyName(browser, AUTOMATION_NAMES),
};

/**
 * Phones and tablets that ask for the desktop page call themselves one system here and another there, so that Android
 * and ChromeOS count as Linux, and iPhone, iPad and Mac as one.
 */
const SYSTEMS: readonly [string, RegExp][] = [
  ['apple', /iPhone|iPad|iPod|^Mac|Macintosh|macOS/],
  ['windows', /^Win|Windows/],
  ['linux', /Linux|Android|CrOS|Chrom(e|ium) OS|X11/],
];

/** The systems that the browser says it runs on. What is unknown or not told contradicts nothing. */
function nameSystems(browser: BrowserFacts): Set<string> {
  const { userAgent, platform } = browser.navigator;
  const told = [userAgent, platform, readChromiumFacts(browser).userAgentData?.platform];
  return new Set(told.flatMap((text) => SYSTEMS.find(([, pattern]) => text && pattern.test(text))?.[0] ?? []));
}

/** Each engine has one vendor, whatever the browser around it is called. */
function hasVendorOfAnother({ navigator }: BrowserFacts): boolean {
  const { userAgent, vendor } = navigator;
  if (vendor === undefined) return false;
  if (userAgent.includes('Chrome/')) return vendor !== 'Google Inc.';
  if (userAgent.includes('AppleWebKit/')) return vendor !== 'Apple Computer, Inc.';
  return userAgent.includes('Firefox/') && vendor !== '';
}

function hasVersionOfAnother(browser: BrowserFacts): boolean {
  const { userAgentData } = readChromiumFacts(browser);
  const engine = userAgentData?.brands?.find(({ brand }) => brand === 'Chromium');
  // Only Chromium has brands, and its two statements carry one version.
  if (engine === undefined) return false;
  return !isChromium(browser) || !browser.navigator.userAgent.includes(`Chrome/${engine.version.split('.')[0]}.`);
}
