import { readFileSync } from 'node:fs';
import { Indicators } from '@limen/contract';
import { CAMERA_SIGN_NAMES } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../server/testing/sessions/risk-facts.ts';
import { type BrowserTraits, fakeBrowser } from '../../testing/fakes/fake-browser.ts';
import { AUTOMATED_BROWSERS, HONEST_BROWSERS, type KnownBrowser } from '../../testing/known-browsers.ts';
import type { BrowserFacts } from './browser-facts.ts';
import { collectSignals } from './collect-signals.ts';

const GROUPS = Object.entries(Indicators.properties).map(
  ([group, { properties }]) => [group as keyof Indicators, Object.keys(properties)] as const,
);

/** Lists indicators as `group.indicator`, like the fixtures. */
async function listRaised({ traits, cameraLabel = 'Front Camera' }: Omit<KnownBrowser, 'raises'>) {
  return listNames(await collectSignals({ browser: fakeBrowser(traits), cameraLabel }));
}

function listNames(seen: Awaited<ReturnType<typeof collectSignals>>): string[] {
  return GROUPS.flatMap(([group]) => seen[group].map((name) => `${group}.${name}`));
}

/** Rates the browser alone. */
const rate = (raised: readonly string[]) => evaluate(raised, {}, { behavior: null });

describe('ordinary browsers', () => {
  it.each(Object.entries(HONEST_BROWSERS))('%s raises its known indicators and is allowed', async (_, known) => {
    const raised = await listRaised(known);
    expect(raised).toEqual(known.raises);
    expect(rate(raised)).toMatchObject({ level: 'LOW', recommendation: 'ALLOW' });
  });
});

describe('automated browsers', () => {
  it.each(Object.entries(AUTOMATED_BROWSERS))('%s raises its known indicators and is not allowed', async (_, known) => {
    const raised = await listRaised(known);
    expect(raised).toEqual(known.raises);
    expect(rate(raised).level).not.toBe('LOW');
    expect(rate(raised).recommendation).not.toBe('ALLOW');
  });
});

describe('each indicator', () => {
  // Changes to an ordinary Chrome, each with the only indicator that it raises.
  const changes: [string, BrowserTraits][] = [
    ['headless.webdriver', { navigator: { webdriver: true } }],
    [
      'headless.userAgent',
      { navigator: { userAgent: 'Mozilla/5.0 (Windows NT 10.0) HtmlUnit', userAgentData: undefined } },
    ],
    ['headless.webGL', { renderer: 'Microsoft Basic Render Driver' }],
    ['headless.phantom', { names: { phantom: {} } }],
    ['headless.selenium', { documentNames: { __webdriver_evaluate: {} } }],
    ['headless.chrome', { missing: ['chrome'] }],
    ['headless.permissions', { notification: 'denied' }],
    ['headless.plugins', { navigator: { plugins: { length: 0 } } }],
    ['headless.languages', { navigator: { languages: [] } }],
    ['headless.webRTC', { missing: ['RTCPeerConnection'] }],
    ['headless.notification', { notification: null }],
    ['headless.deviceMemory', { navigator: { deviceMemory: 3 } }],
    ['headless.connectionType', { navigator: { connection: { effectiveType: '9g' } } }],
    ['headless.timing', { pace: { page: 0, wall: 0 } }],
    ['virtualCamera.noMediaDevices', { navigator: listing([{ kind: 'audioinput' }]) }],
    ['virtualCamera.mediaDevicesError', { navigator: listing(new Error('NotReadableError')) }],
    ['browserAnomalies.missingWebAPIs', { missing: ['structuredClone'] }],
    ['browserAnomalies.inconsistentFingerprint', { navigator: { platform: 'MacIntel' } }],
    ['browserAnomalies.automationProperties', { names: { __nightmare: {} } }],
  ];

  it.each(changes)('%s is the only indicator raised by its sign', async (name, traits) => {
    expect(await listRaised({ traits })).toEqual([name]);
  });

  it.each([
    ['virtualCamera.virtualCameraSoftware', 'ManyCam Virtual Webcam'],
    ['virtualCamera.suspiciousLabels', 'DroidCam Source 3'],
  ])('%s is the only indicator raised by the camera’s name', async (name, cameraLabel) => {
    expect(await listRaised({ traits: {}, cameraLabel })).toEqual([name]);
  });

  it('has a test, and none is raised without a camera', async () => {
    const cameraNames = ['virtualCamera.virtualCameraSoftware', 'virtualCamera.suspiciousLabels'];
    const covered = [...changes.map(([name]) => name), ...cameraNames].sort();
    expect(covered).toEqual(GROUPS.flatMap(([group, names]) => names.map((name) => `${group}.${name}`)).sort());
    expect(listNames(await collectSignals({ browser: fakeBrowser(), cameraLabel: null }))).toEqual([]);
  });

  it('has a row in the README, in the order of the contract', () => {
    const document = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const rows = [...document.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    // Stream signs follow the signs of the camera's name.
    const signs = (group: string) => (group === 'virtualCamera' ? CAMERA_SIGN_NAMES : []);
    expect(rows).toEqual(GROUPS.flatMap(([group, names]) => [...names, ...signs(group)]));
  });
});

describe('contradictions', () => {
  it.each<[string, BrowserTraits]>([
    ['the vendor of another engine', { navigator: { vendor: '' } }],
    ['the brands of another system', { navigator: { userAgentData: { platform: 'macOS' } } }],
    [
      'the brands of another version',
      { navigator: { userAgentData: { brands: [{ brand: 'Chromium', version: '99' }] } } },
    ],
  ])('are detected in %s', async (_, traits) => {
    expect(await listRaised({ traits })).toEqual(['browserAnomalies.inconsistentFingerprint']);
  });

  it.each([
    ['Firefox on a Mac that poses as an iPhone', 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Safari/604.1', ''],
    ['Safari that poses as Firefox', 'Mozilla/5.0 (Macintosh) Gecko/20100101 Firefox/143.0', 'Apple Computer, Inc.'],
  ])('are detected in %s by its vendor', async (_, userAgent, vendor) => {
    const navigator = { userAgent, vendor, platform: 'MacIntel', userAgentData: undefined };
    expect(await listRaised({ traits: { navigator } })).toEqual(['browserAnomalies.inconsistentFingerprint']);
  });
});

describe('the clocks', () => {
  it('are odd if they run backwards, return no number, or drift apart', async () => {
    let reading = 1000;
    const backwards = { ...fakeBrowser(), performance: { now: () => reading-- } };
    const silent = { ...fakeBrowser(), performance: { now: () => Number.NaN } };
    const parted = fakeBrowser({ pace: { page: 1, wall: 10 } });
    for (const browser of [backwards, silent, parted])
      expect(await collectSignals({ browser, cameraLabel: null })).toMatchObject({ headless: ['timing'] });
  });

  it('are not odd if a timer is late or rounding explains the drift', async () => {
    for (const pace of [
      { page: 30, wall: 30 },
      { page: 1, wall: 3 },
    ])
      expect(await listRaised({ traits: { pace } })).toEqual([]);
  });
});

describe('a hostile browser', () => {
  it('raises nothing if its interfaces throw', async () => {
    const hostile = new Proxy({} as BrowserFacts, {
      get: () => {
        throw new Error('no');
      },
      has: () => {
        throw new Error('no');
      },
    });
    const seen = await collectSignals({ browser: hostile, cameraLabel: 'Front Camera' });
    expect(seen).toEqual({ headless: [], virtualCamera: [], browserAnomalies: [] });
  });

  it('is not awaited past the deadline, and known indicators are kept', async () => {
    const never = () => new Promise<never>(() => {});
    const browser = fakeBrowser({
      notification: 'denied',
      navigator: { webdriver: true, permissions: { query: never }, mediaDevices: { enumerateDevices: never } },
    });
    // Resolves after all tasks that do not hang.
    const deadline = new Promise<void>((resolve) => setImmediate(resolve));
    const seen = await collectSignals({ browser, cameraLabel: 'OBS Virtual Camera' }, deadline);
    expect(seen).toEqual({
      headless: ['webdriver'],
      virtualCamera: ['virtualCameraSoftware'],
      browserAnomalies: [],
    });
  });

  it('does not make the collection throw if everything is missing', async () => {
    const seen = await collectSignals({ browser: {} as BrowserFacts, cameraLabel: null });
    expect(rate(listNames(seen)).level).toBe('LOW');
  });
});

function listing(answer: Error | { kind: string }[]) {
  return {
    mediaDevices: {
      enumerateDevices: async () => {
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  };
}
