// The hits that remain after replaying the alerts in order.
import type { ScreeningAlert } from '@limen/contract';
import { expect } from 'vitest';

type HitAlert = Pick<ScreeningAlert, 'kind' | 'reference'> & { match: Pick<ScreeningAlert['match'], 'id'> };

/** Throws if a hit is new twice, or removed without being new. */
export function replayAlerts(alerts: readonly HitAlert[]): Set<string> {
  const now = new Set<string>();
  for (const { kind, reference, match } of alerts) {
    const hit = `${reference} ${match.id}`;
    expect([hit, kind, now.has(hit)]).toEqual([hit, kind, kind !== 'new']);
    if (kind === 'removed') now.delete(hit);
    else now.add(hit);
  }
  return now;
}
