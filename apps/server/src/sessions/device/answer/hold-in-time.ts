// The time at which a device says that it read a document, held against the server's own clock.
import type { AnswerCourse } from '../flow.ts';

interface Timed {
  /** ISO 8601 in UTC, to the second. */
  verifiedAt: string;
}

/**
 * With a time between the plan being served and the answer: it was read then, and the device's clock may have stood still
 * while the device slept. Null for what is no time. A clock of ours that was set back makes the two ends change places.
 */
export function holdInTime<T extends Timed>(document: T, { servedAt, answeredAt }: AnswerCourse): T | null {
  const at = Date.parse(document.verifiedAt);
  // The 30th of February has the right form too, and is read as a day in March.
  if (Number.isNaN(at) || toSecond(at) !== document.verifiedAt) return null;
  const [from, to] = [Math.min(servedAt, answeredAt), Math.max(servedAt, answeredAt)];
  return { ...document, verifiedAt: toSecond(Math.min(Math.max(at, from), to)) };
}

function toSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
