// The overview in the console: what happened on the last days, of all keys, of one world or of one key.
import { oneOf } from '@limen/contract';
import { Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { ownerOf } from '../../platform/api-keys/owner.ts';
import type { World } from '../../platform/base/world.ts';
import type { Context } from '../../platform/context.ts';
import { dayOf } from '../../platform/sealing/hash-chain.ts';
import { type Activity, startOfDays, type TotalRow } from '../../records/activity.ts';
import { createDeliveryBrowser } from '../../sessions/console/browse-deliveries.ts';
import { FINISH_SECONDS, STAGES } from '../../sessions/host/count.ts';
import { SESSION_KINDS } from '../../sessions/lifecycle/kinds.ts';
import { SESSION_ERRORS } from '../../sessions/lifecycle/reasons.ts';
import { MAX_CODES } from '../limits.ts';
import type { OverviewView } from './views.ts';

const DAY_MS = 24 * 60 * 60_000;
const Query = Type.Object({
  days: Type.Optional(oneOf(['7', '30', '90', '365'])),
  kind: Type.Optional(oneOf(SESSION_KINDS)),
  world: Type.Optional(oneOf(['live', 'test'])),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});

export function addOverviewConsole(
  { add }: Pick<Console, 'add'>,
  { database, apiKeys, clock }: Pick<Context, 'database' | 'apiKeys' | 'clock'>,
  activity: Pick<Activity, 'since'>,
): void {
  const deliveries = createDeliveryBrowser(database);

  add('GET /console/api/overview', { query: Query }, async ({ query }): Promise<OverviewView> => {
    const { days = '30', kind, world, key } = query;
    const start = startOfDays(clock.now(), Number(days));
    const listed = Array.from({ length: Number(days) }, (_, nth) => dayOf(start + nth * DAY_MS));
    const [rows, dead] = await Promise.all([
      countedSince(listed[0]!, world, key),
      deliveries.countDeadByDay({ world, apiKeyId: key, createdFrom: start }),
    ]);
    const deadOn = new Map(dead.map(([day, count]) => [dayOf(day * DAY_MS), count]));
    const { byDay, together } = sumUp(rows, kind === undefined ? SESSION_KINDS : [kind]);
    return {
      days: listed.map((day) => {
        const { recommendation = {}, state = {}, webhook = {} } = byDay.get(day) ?? {};
        const count = deadOn.get(day);
        return {
          day,
          recommendations: recommendation,
          states: state,
          webhooks: count === undefined ? webhook : { ...webhook, dead: count },
        };
      }),
      ...summaryOf(together),
    };
  });

  async function countedSince(day: string, world: World | undefined, key: string | undefined): Promise<TotalRow[]> {
    if (key === undefined) return activity.since(day, world && { world });
    if (world !== undefined) {
      const record = (await apiKeys.list()).find(({ id }) => id === key);
      if (!record || ownerOf(record).world !== world) return [];
    }
    return activity.since(day, { apiKeyId: key });
  }
}

/** By the group of what was counted, such as `state`, and within it by name, such as `completed`. */
type Sums = Record<string, Record<string, number>>;

/** Each row once: a year is thousands of them, of a few dozen names. */
function sumUp(rows: readonly TotalRow[], kinds: readonly string[]): { byDay: Map<string, Sums>; together: Sums } {
  const byDay = new Map<string, Sums>();
  const together: Sums = {};
  const places = new Map<string, [group: string, name: string] | undefined>();
  for (const { day, name, count } of rows) {
    if (!places.has(name)) places.set(name, placeOf(name, kinds));
    const place = places.get(name);
    if (!place) continue;
    const ofDay = byDay.get(day) ?? {};
    byDay.set(day, ofDay);
    for (const sums of [ofDay, together]) {
      const [group, last] = place;
      const known = sums[group] ?? {};
      sums[group] = known;
      known[last] = (known[last] ?? 0) + count;
    }
  }
  return { byDay, together };
}

/** Of names such as `age/state/completed` and `webhook/delivered`; undefined where the kind is not among those asked for. */
function placeOf(name: string, kinds: readonly string[]): [group: string, name: string] | undefined {
  const [first = '', second = '', third = ''] = name.split('/');
  if (first === 'webhook') return [first, second];
  return kinds.includes(first) ? [second, third] : undefined;
}

function summaryOf({ stage = {}, seconds = {}, state = {}, error = {}, flag = {} }: Sums): Omit<OverviewView, 'days'> {
  return {
    stages: STAGES.map((name) => ({ stage: name, count: stage[name] ?? 0 })),
    seconds: [...FINISH_SECONDS, null].map((upTo) => ({ upTo, count: seconds[upTo ?? 'more'] ?? 0 })),
    completed: state['completed'] ?? 0,
    withDocument: stage['document'] ?? 0,
    errors: mostOf(error).map(({ code, count }) => ({
      code,
      meaning: SESSION_ERRORS.get(Number(code)) ?? '',
      count,
    })),
    flags: mostOf(flag),
  };
}

function mostOf(sums: Record<string, number>): { code: string; count: number }[] {
  return Object.entries(sums)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_CODES)
    .map(([code, count]) => ({ code, count }));
}
