// The settings of review.
import type { Config } from '../config.ts';

export function reviewSettings(config: Config) {
  return {
    dueHours: config.REVIEW_DUE_HOURS,
    reviewDays: config.REVIEW_DAYS,
    eyes: config.REVIEW_EYES as 1 | 2,
    retentionMs: retentionMs(config),
  };
}

export function retentionMs(config: Config): number {
  return config.RETENTION_HOURS * 60 * 60 * 1000;
}
