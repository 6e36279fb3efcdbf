// How often an enrolment is tried before it counts as failed, and how long it rests in between.

export const ENROL_ATTEMPTS = 3;

/** Short, because somebody waits for the outcome. */
export function restAfterAttemptMs(attempt: number): number {
  return 100 * attempt;
}
