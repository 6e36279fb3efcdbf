// Exactly what each known browser raises, what risk is made of it, and that no browser can stop the collecting.

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

/** `group.indicator`, as the fixtures have it. */
async function listRaised({ traits, cameraLabel = 'Front Camera' }: Omit<KnownBrowser, 'raises'>) {
  return listNames(await collectSignals({ browser: fakeBrowser(traits), cameraLabel }));
}

function listNames(seen: Awaited<ReturnType<typeof collectSignals>>): string[] {
  return GROUPS.flatMap(([group]) => seen[group].map((name) => `${group}.${name}`));
}

/** Of the browser alone. */
const rate = (raised: readonly string[]) => evaluate(raised, {}, { behavior: null });

describe('browsers that people use', () => {
  it.each(Object.entries(HONEST_BROWSERS))('%s raises what is known of it, and is allowed', async (_, known) => {
    const raised = await listRaised(known);
    expect(raised).toEqual(known.raises);
    expect(rate(raised)).toMatchObject({ level: 'LOW', recommendation: 'ALLOW' });
  });
});

describe('browsers that nobody sits in front of', () => {
  it.each(Object.entries(AUTOMATED_BROWSERS))('%s raises what is known of it, and is not allowed', async (_, known) => {
    const raised = await listRaised(known);
    expect(raised).toEqual(known.raises);
    expect(rate(raised).level).not.toBe('LOW');
    expect(rate(raised).recommendation).not.toBe('ALLOW');
  });
});

describe('each indicator', () => {
  // One change to an ordinary Chrome, and the one thing that it raises.
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

  it.each(changes)('%s is raised alone by its own sign', async (name, traits) => {
    expect(await listRaised({ traits })).toEqual([name]);
  });

  it.each([
    ['virtualCamera.virtualCameraSoftware', 'ManyCam Virtual Webcam'],
    ['virtualCamera.suspiciousLabels', 'DroidCam Source 3'],
  ])('%s is raised alone by the name of the camera in use', async (name, cameraLabel) => {
    expect(await listRaised({ traits: {}, cameraLabel })).toEqual([name]);
  });

  it('is covered, and none is raised without a camera', async () => {
    const cameraNames = ['virtualCamera.virtualCameraSoftware', 'virtualCamera.suspiciousLabels'];
    const covered = [...changes.map(([name]) => name), ...cameraNames].sort();
    expect(covered).toEqual(GROUPS.flatMap(([group, names]) => names.map((name) => `${group}.${name}`)).sort());
    expect(listNames(await collectSignals({ browser: fakeBrowser(), cameraLabel: null }))).toEqual([]);
  });

  it('has its row in the README, in the order of the contract', () => {
    const document = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const rows = [...document.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    // What the camera's stream gives away stands behind what its name does.
    const signs = (group: string) => (group === 'virtualCamera' ? CAMERA_SIGN_NAMES : []);
    expect(rows).toEqual(GROUPS.flatMap(([group, names]) => [...names, ...signs(group)]));
  });
});

describe('statements that contradict each other', () => {
  it.each<[string, BrowserTraits]>([
    ['the vendor of another engine', { navigator: { vendor: '' } }],
    ['the brands of another system', { navigator: { userAgentData: { platform: 'macOS' } } }],
    [
      'the brands of another version',
      { navigator: { userAgentData: { brands: [{ brand: 'Chromium', version: '99' }] } } },
    ],
  ])('are seen in %s', async (_, traits) => {
    expect(await listRaised({ traits })).toEqual(['browserAnomalies.inconsistentFingerprint']);
  });

  it.each([
    ['Firefox on a Mac that poses as an iPhone', 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Safari/604.1', ''],
    ['Safari that poses as Firefox', 'Mozilla/5.0 (Macintosh) Gecko/20100101 Firefox/143.0', 'Apple Computer, Inc.'],
  ])('are seen in %s, by its vendor', async (_, userAgent, vendor) => {
    const navigator = { userAgent, vendor, platform: 'MacIntel', userAgentData: undefined };
    expect(await listRaised({ traits: { navigator } })).toEqual(['browserAnomalies.inconsistentFingerprint']);
  });
});

describe('the clocks', () => {
  it('are odd when they run backwards, tell no number, or part from each other', async () => {
    let reading = 1000;
    const backwards = { ...fakeBrowser(), performance: { now: () => reading-- } };
    const silent = { ...fakeBrowser(), performance: { now: () => Number.NaN } };
    const parted = fakeBrowser({ pace: { page: 1, wall: 10 } });
    for (const browser of [backwards, silent, parted])
      expect(await collectSignals({ browser, cameraLabel: null })).toMatchObject({ headless: ['timing'] });
  });

  it('are not odd when a timer is late, or when they part by what rounding explains', async () => {
    for (const pace of [
      { page: 30, wall: 30 },
      { page: 1, wall: 3 },
    ])
      expect(await listRaised({ traits: { pace } })).toEqual([]);
  });
});

describe('a browser that does not play along', () => {
  it('raises nothing by an interface that throws', async () => {
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

  it('is not waited for beyond the deadline, and keeps what is known by then', async () => {
    const never = () => new Promise<never>(() => {});
    const browser = fakeBrowser({
      notification: 'denied',
      navigator: { webdriver: true, permissions: { query: never }, mediaDevices: { enumerateDevices: never } },
    });
    // After all that does not hang has had its turn.
    const deadline = new Promise<void>((resolve) => setImmediate(resolve));
    const seen = await collectSignals({ browser, cameraLabel: 'OBS Virtual Camera' }, deadline);
    expect(seen).toEqual({
      headless: ['webdriver'],
      virtualCamera: ['virtualCameraSoftware'],
      browserAnomalies: [],
    });
  });

  it('cannot make it throw by lacking everything', async () => {
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
