// Decides if a recommendation is shown. Without a pending decision the badge would only alarm.
import type { SessionRowView } from '@limen/server/console/sessions';

/** Abandoned and expired sessions have no outcome to allow, review or block. */
export function hasVerdict<Row extends Pick<SessionRowView, 'state' | 'risk'>>(
  row: Row,
): row is Row & { risk: NonNullable<Row['risk']> } {
  return row.risk !== null && row.state === 'completed';
}
