import type { ReviewTimes } from '../../src/review/cases.ts';

/** As the settings have them. */
export const REVIEW_TIMES: ReviewTimes = { dueHours: 24, reviewDays: 14, retentionMs: 24 * 60 * 60_000 };
