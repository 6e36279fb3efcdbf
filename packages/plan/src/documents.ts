// A device describes itself with names from lists. Free text would let the person who starts a
// session send messages to the person on the next device.

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
/** Screen orientations, by the browsers' names. */
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

/** Shown on a screen, a photocopy, or an uploaded file. */
export const DOCUMENT_SIGNS = ['screen', 'photocopy', 'file'] as const;
export type DocumentSign = (typeof DOCUMENT_SIGNS)[number];

/** ISO 3166-1 alpha-3. */
export const DOCUMENT_COUNTRY = '^[A-Z]{3}$';
/** ISO 8601 in UTC, to the second. */
export const VERIFICATION_TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$';
