// Limits of records.

/** Retention of activity counts: more than a year, to compare with the year before. */
export const ACTIVITY_DAYS = 400;
/** Maximum length of an act's subject, with room for a page of ids. Longer texts are truncated. */
export const MAX_ABOUT_LENGTH = 2_500;
