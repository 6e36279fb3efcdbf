// The overview in the console: what happened on the last days, of all keys, of one world or of one key.
import { oneOf } from '@limen/contract';
import { Type } from 'typebox';
import { dayOf } from '../../core/activity/activity.ts';
import { FINISH_SECONDS, STAGES } from '../../core/activity/count-session.ts';
import type { TotalRow } from '../../core/activity/store.ts';
import { SESSION_KINDS } from '../../core/sessions/kinds/session-kinds.ts';
import { SESSION_ERRORS } from '../../core/sessions/session-errors.ts';
import type { ConsoleParts } from './console-parts.ts';
import type { OverviewView } from './overview-views.ts';
import { presentKey } from './present-key.ts';

const DAY_MS = 24 * 60 * 60_000;
const MOST_CODES = 12;
const Query = Type.Object({
  days: Type.Optional(oneOf(['7', '30', '90', '365'])),
  kind: Type.Optional(oneOf(SESSION_KINDS)),
  world: Type.Optional(oneOf(['live', 'test'])),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});

export function registerOverviewRoutes({ add, activity, apiKeys, clock }: ConsoleParts): void {
  add('GET /console/api/overview', { query: Query }, async ({ query }): Promise<OverviewView> => {
    const { days = '30', kind, world, key } = query;
    const now = clock.now();
    const listed = Array.from({ length: Number(days) }, (_, nth) => dayOf(now - (Number(days) - 1 - nth) * DAY_MS));
    const rows = await activity.since(listed[0]!, await keysOf(world, key));
    const byDay = Map.groupBy(rows, ({ day }) => day);
    const kinds: readonly string[] = kind === undefined ? SESSION_KINDS : [kind];
    const isOfSessions = ({ name }: TotalRow) => kinds.includes(name.slice(0, name.indexOf('/')));
    return {
      days: listed.map((day) => {
        const ofDay = byDay.get(day) ?? [];
        const sessionsOfDay = ofDay.filter(isOfSessions);
        return {
          day,
          recommendations: countsOf(sessionsOfDay, 'recommendation'),
          states: countsOf(sessionsOfDay, 'state'),
          webhooks: Object.fromEntries([
            ...sumBy(ofDay, ({ name }) => (name.startsWith('webhook/') ? name.slice(8) : undefined)),
          ]),
        };
      }),
      ...summaryOf(rows.filter(isOfSessions)),
    };
  });

  /** Undefined: all. */
  async function keysOf(world: string | undefined, key: string | undefined): Promise<string[] | undefined> {
    if (world === undefined) return key === undefined ? undefined : [key];
    const keys = (await apiKeys.list()).filter((one) => presentKey(one).world === world);
    return keys.map(({ id }) => id).filter((id) => key === undefined || id === key);
  }
}

function summaryOf(rows: readonly TotalRow[]): Omit<OverviewView, 'days'> {
  const of = (group: string) => countsOf(rows, group);
  const [stages, seconds] = [of('stage'), of('seconds')];
  const mostOf = (group: string) =>
    Object.entries(of(group))
      .sort(([, one], [, other]) => other - one)
      .slice(0, MOST_CODES)
      .map(([code, count]) => ({ code, count }));
  return {
    stages: STAGES.map((stage) => ({ stage, count: stages[stage] ?? 0 })),
    seconds: [...FINISH_SECONDS, null].map((upTo) => ({ upTo, count: seconds[upTo ?? 'more'] ?? 0 })),
    completed: of('state')['completed'] ?? 0,
    withDocument: stages['document'] ?? 0,
    errors: mostOf('error').map(({ code, count }) => ({
      code,
      meaning: SESSION_ERRORS.get(Number(code)) ?? '',
      count,
    })),
    flags: mostOf('flag'),
  };
}

/** Of names such as `age/state/completed`, those of one group by their last part. */
function countsOf(rows: readonly TotalRow[], group: string): Record<string, number> {
  const sums = sumBy(rows, (row) => {
    const [, of, last] = row.name.split('/');
    return of === group ? last : undefined;
  });
  return Object.fromEntries(sums);
}

function sumBy(rows: readonly TotalRow[], nameOf: (row: TotalRow) => string | undefined): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = nameOf(row);
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + row.count);
  }
  return sums;
}
