// Settings that screening reads.
import type { Config } from '../config.ts';

export function screeningSettings(config: Config) {
  return {
    dataDir: config.DATA_DIR,
    /** Hours between two refreshes of the lists; 0 disables them. */
    syncHours: config.DATASET_SYNC_HOURS,
    /** Maximum watched subjects of one customer in each world. */
    maxSubjects: config.MAX_SUBJECTS,
    /** Whether an API key is required. */
    closed: config.REQUIRE_API_KEY.has('sanctions'),
  };
}
