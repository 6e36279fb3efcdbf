import type { ReviewTimes } from '../../src/review/cases.ts';

/** Defaults of the settings. */
export const REVIEW_TIMES: ReviewTimes = { dueHours: 24, reviewDays: 14, retentionMs: 24 * 60 * 60_000 };
