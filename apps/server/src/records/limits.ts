// Limits of records: how long activity is kept, and how much a line of the audit log says.

/** A year and a little, to compare with the year before. */
export const ACTIVITY_DAYS = 400;
/** Of what an act is about. A page of ids; of what is longer, the beginning says what it was. */
export const MAX_ABOUT_LENGTH = 2_500;
