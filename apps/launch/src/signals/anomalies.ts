// Detects missing features, contradictions and leftovers of tools.
import { type BrowserFacts, type Detectors, hasAnyName, isChromium, readChromiumFacts } from './browser-facts.ts';
import { AUTOMATION_NAMES } from './leftover-names.ts';

/** Available in Safari, Chrome and Firefox since 2022 or earlier. */
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
    nameSystems(browser).size > 1 || hasWrongVendor(browser) || hasWrongVersion(browser),

  automationProperties: ({ browser }) => hasAnyName(browser, AUTOMATION_NAMES),
};

/**
 * Mobile browsers that request desktop pages report different systems in different places. Android
 * and ChromeOS therefore count as Linux; iPhone, iPad and Mac are one.
 */
const SYSTEMS: readonly [string, RegExp][] = [
  ['apple', /iPhone|iPad|iPod|^Mac|Macintosh|macOS/],
  ['windows', /^Win|Windows/],
  ['linux', /Linux|Android|CrOS|Chrom(e|ium) OS|X11/],
];

/** Lists the systems that the browser reports. Unknown values contradict nothing. */
function nameSystems(browser: BrowserFacts): Set<string> {
  const { userAgent, platform } = browser.navigator;
  const reported = [userAgent, platform, readChromiumFacts(browser).userAgentData?.platform];
  return new Set(reported.flatMap((text) => SYSTEMS.find(([, pattern]) => text && pattern.test(text))?.[0] ?? []));
}

/** Each engine has one vendor, independent of the name of the browser. */
function hasWrongVendor({ navigator }: BrowserFacts): boolean {
  const { userAgent, vendor } = navigator;
  if (vendor === undefined) return false;
  if (userAgent.includes('Chrome/')) return vendor !== 'Google Inc.';
  if (userAgent.includes('AppleWebKit/')) return vendor !== 'Apple Computer, Inc.';
  return userAgent.includes('Firefox/') && vendor !== '';
}

function hasWrongVersion(browser: BrowserFacts): boolean {
  const { userAgentData } = readChromiumFacts(browser);
  const engine = userAgentData?.brands?.find(({ brand }) => brand === 'Chromium');
  // Only Chromium has brands, and both must carry the same version.
  if (engine === undefined) return false;
  return !isChromium(browser) || !browser.navigator.userAgent.includes(`Chrome/${engine.version.split('.')[0]}.`);
}
