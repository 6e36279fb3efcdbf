// What is said of a document: its kind, who issued it, when it was read, and what makes it doubtful.

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
export const DEVICE_SYSTEMS = ['Android', 'ChromeOS', 'iOS', 'iPadOS', 'Linux', 'macOS', 'Windows', 'other'] as const;
/** How a screen can be turned, by the names that browsers have for it. */
export const SCREEN_ORIENTATIONS = [
  'portrait-primary',
  'portrait-secondary',
  'landscape-primary',
  'landscape-secondary',
] as const;
export const DOCUMENT_TYPES = [
  'passport',
  'identity_card',
  'residence_permit',
  'visa',
  'driving_licence',
  'other',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** It seems to be shown on a screen, or to be a copy; or it came as a picture file. */
export const DOCUMENT_SIGNS = ['screen', 'photocopy', 'file'] as const;
export type DocumentSign = (typeof DOCUMENT_SIGNS)[number];

/** ISO 3166-1 alpha-3. */
export const DOCUMENT_COUNTRY = '^[A-Z]{3}$';
/** ISO 8601 in UTC, to the second. */
export const VERIFICATION_TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$';
