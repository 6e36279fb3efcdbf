// Limits of records: how long activity is kept, and how much a line of the audit log says.

/** A year and a little, to compare with the year before. */
export const ACTIVITY_DAYS = 400;
/** The subject of an act: room for a page of ids. A longer text is cut off. */
export const MAX_ABOUT_LENGTH = 2_500;
