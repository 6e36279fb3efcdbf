// What is said of a document: its kind, who issued it, when it was read, and what makes it doubtful.

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
