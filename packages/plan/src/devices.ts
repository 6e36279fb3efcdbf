// What a device says of itself. Names from a list and no free text: whoever began a session could otherwise write to the
// person on the next device whatever he likes.

export const DEVICE_BROWSERS = [
  'Chrome',
  'Edge',
  'Firefox',
  'Opera',
  'Safari',
  'Samsung Internet',
  'app',
  'other',
] as const;
export type DeviceBrowser = (typeof DEVICE_BROWSERS)[number];

export const DEVICE_SYSTEMS = ['Android', 'ChromeOS', 'iOS', 'iPadOS', 'Linux', 'macOS', 'Windows', 'other'] as const;
export type DeviceSystem = (typeof DEVICE_SYSTEMS)[number];

/** How a screen can be turned, by the names that browsers have for it. */
export const SCREEN_ORIENTATIONS = [
  'portrait-primary',
  'portrait-secondary',
  'landscape-primary',
  'landscape-secondary',
] as const;
export type ScreenOrientation = (typeof SCREEN_ORIENTATIONS)[number];
