// What the settings say about the key-holder as a thread; the service and the command line open it alike.
import type { Config } from './config.ts';
import type { OpenKeyHolderOptions } from './core/keyholder/open-key-holder.ts';

export function keyHolderTuning(
  config: Config,
): Pick<OpenKeyHolderOptions, 'threadEntry' | 'matchThreshold' | 'budgets' | 'auditDays'> {
  return {
    threadEntry: new URL('./keyholder/worker.ts', import.meta.url),
    matchThreshold: config.KEYHOLDER_MATCH_THRESHOLD,
    budgets: {
      sign_in: config.KEYHOLDER_ANSWERS_PER_HOUR,
      sign_in_address: config.KEYHOLDER_ANSWERS_PER_ADDRESS,
      sign_in_person: config.KEYHOLDER_ANSWERS_PER_PERSON,
      enrol: config.KEYHOLDER_ENROLMENTS_PER_HOUR,
      enrol_address: config.KEYHOLDER_ENROLMENTS_PER_ADDRESS,
    },
    auditDays: config.AUDIT_DAYS,
  };
}
