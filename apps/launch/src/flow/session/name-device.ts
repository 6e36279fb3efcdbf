// Names a browser and its system for people who decide on another device whether it is theirs.
import type { HandoffRequest } from '@limen/sdk/device';

export type DeviceName = HandoffRequest['began'];

/** Properties of `navigator` that identify the browser. */
export interface DeviceTraits {
  userAgent: string;
  maxTouchPoints: number;
  /** Chromium's client hints, which are shorter and less often disguised. */
  userAgentData?: { brands: readonly { brand: string }[]; platform: string } | undefined;
}

const BRANDS: readonly (readonly [string, DeviceName['browser']])[] = [
  ['Microsoft Edge', 'Edge'],
  ['Opera', 'Opera'],
  ['Samsung Internet', 'Samsung Internet'],
  ['Google Chrome', 'Chrome'],
];
/** Filler that Chromium adds to the brands so that no one relies on the list. */
const FILLER = /^[^a-z]*not.*brand$/i;

/** Order matters: most user agents also contain the names that follow. */
const AGENTS: readonly (readonly [RegExp, DeviceName['browser']])[] = [
  // In-app browsers have their own name, or none.
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
  // The user agent says Chrome, but a browser with its own brand is known by another name.
  return brands.every((brand) => brand === 'Chromium' || FILLER.test(brand)) ? 'Chrome' : 'other';
}

/** An iPad identifies as a Mac, but no Mac has a touch screen. */
function nameSystem({ userAgent, userAgentData, maxTouchPoints }: DeviceTraits): DeviceName['system'] {
  const platform = PLATFORMS.get(userAgentData?.platform ?? '');
  if (platform) return platform;
  const system = find(SYSTEMS, userAgent);
  return system === 'macOS' && maxTouchPoints > 1 ? 'iPadOS' : system;
}

function find<Name extends string>(names: readonly (readonly [RegExp, Name])[], text: string): Name | 'other' {
  return names.find(([form]) => form.test(text))?.[1] ?? 'other';
}
