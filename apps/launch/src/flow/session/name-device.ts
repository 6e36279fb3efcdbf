// What a browser and its system are called, for people who look at another device and ask themselves whether it is theirs.
import type { HandoffRequest } from '@limen/sdk/device';

export type DeviceName = HandoffRequest['began'];

/** What of `navigator` tells it. */
export interface DeviceTraits {
  userAgent: string;
  maxTouchPoints: number;
  /** Chromium's own, which is shorter and less often disguised. */
  userAgentData?: { brands: readonly { brand: string }[]; platform: string } | undefined;
}

const BRANDS: readonly (readonly [string, DeviceName['browser']])[] = [
  ['Microsoft Edge', 'Edge'],
  ['Opera', 'Opera'],
  ['Samsung Internet', 'Samsung Internet'],
  ['Google Chrome', 'Chrome'],
];
/** What Chromium puts in so that nobody relies on the list. */
const FILLER = /^[^a-z]*not.*brand$/i;

/** In this order: most of them also name those after them. */
const AGENTS: readonly (readonly [RegExp, DeviceName['browser']])[] = [
  // The browser inside of another app has its own name there, or none.
  [/; wv\)|\b(?:GSA|FBAN|FBAV|Instagram|Line)\//, 'other'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOP(?:R|T|iOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
];

const PLATFORMS = new Map<string, DeviceName['system']>([
  ['Android', 'Android'],
  ['Chrome OS', 'ChromeOS'],
  ['Chromium OS', 'ChromeOS'],
  ['Linux', 'Linux'],
  ['macOS', 'macOS'],
  ['Windows', 'Windows'],
]);

const SYSTEMS: readonly (readonly [RegExp, DeviceName['system']])[] = [
  [/iPhone|iPod/, 'iOS'],
  [/iPad/, 'iPadOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

export function nameDevice(traits: DeviceTraits): DeviceName {
  return { browser: nameBrowser(traits), system: nameSystem(traits) };
}

function nameBrowser({ userAgent, userAgentData }: DeviceTraits): DeviceName['browser'] {
  const brands = (userAgentData?.brands ?? []).map(({ brand }) => brand);
  const branded = BRANDS.find(([brand]) => brands.includes(brand));
  if (branded) return branded[1];
  if (!brands.includes('Chromium')) return find(AGENTS, userAgent);
  // Its agent says Chrome; under a name of its own its people call it otherwise.
  return brands.every((brand) => brand === 'Chromium' || FILLER.test(brand)) ? 'Chrome' : 'other';
}

/** An iPad calls itself a Mac, but no Mac has a touch screen. */
function nameSystem({ userAgent, userAgentData, maxTouchPoints }: DeviceTraits): DeviceName['system'] {
  const platform = PLATFORMS.get(userAgentData?.platform ?? '');
  if (platform) return platform;
  const system = find(SYSTEMS, userAgent);
  return system === 'macOS' && maxTouchPoints > 1 ? 'iPadOS' : system;
}

function find<Name extends string>(names: readonly (readonly [RegExp, Name])[], text: string): Name | 'other' {
  return names.find(([form]) => form.test(text))?.[1] ?? 'other';
}
