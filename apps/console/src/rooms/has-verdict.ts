// Whether what a session was recommended for is shown: a badge on something that nobody decides would only alarm.
import type { SessionRowView } from '@limen/server/console/sessions';

/** What was given up or has expired came to nothing that anybody could allow, review or block. */
export function hasVerdict<Row extends Pick<SessionRowView, 'state' | 'risk'>>(
  row: Row,
): row is Row & { risk: NonNullable<Row['risk']> } {
  return row.risk !== null && row.state === 'completed';
}
