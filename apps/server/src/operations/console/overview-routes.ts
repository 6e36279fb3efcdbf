// The overview of the console: counts of the last days for all keys, one world or one key.
import { oneOf } from '@limen/contract';
import { Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { toOwner } from '../../platform/api-keys/owner.ts';
import type { World } from '../../platform/base/world.ts';
import type { Context } from '../../platform/context.ts';
import { formatDay } from '../../platform/sealing/hash-chain.ts';
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
    const listed = Array.from({ length: Number(days) }, (_, nth) => formatDay(start + nth * DAY_MS));
    const [rows, dead] = await Promise.all([
      countedSince(listed[0]!, world, key),
      deliveries.countDeadByDay({ world, apiKeyId: key, createdFrom: start }),
    ]);
    const deadOn = new Map(dead.map(([day, count]) => [formatDay(day * DAY_MS), count]));
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
      ...summarize(together),
    };
  });

  async function countedSince(day: string, world: World | undefined, key: string | undefined): Promise<TotalRow[]> {
    if (key === undefined) return activity.since(day, world && { world });
    if (world !== undefined) {
      const record = (await apiKeys.list()).find(({ id }) => id === key);
      if (!record || toOwner(record).world !== world) return [];
    }
    return activity.since(day, { apiKeyId: key });
  }
}

/** Counts by group, such as `state`, and by name, such as `completed` */
type Sums = Record<string, Record<string, number>>;

/** Adds up rows with names such as `age/state/completed` and `webhook/delivered`. */
function sumUp(rows: readonly TotalRow[], kinds: readonly string[]) {
  const byDay = new Map<string, Sums>();
  const together: Sums = {};
  for (const { day, name: path, count } of rows) {
    const [first = '', second = '', third = ''] = path.split('/');
    const isWebhook = first === 'webhook';
    if (!isWebhook && !kinds.includes(first)) continue;
    const [group, name] = isWebhook ? [first, second] : [second, third];
    const ofDay = byDay.get(day) ?? {};
    byDay.set(day, ofDay);
    for (const sums of [ofDay, together]) {
      sums[group] ??= {};
      const counts = sums[group];
      counts[name] = (counts[name] ?? 0) + count;
    }
  }
  return { byDay, together };
}

function summarize({ stage = {}, seconds = {}, state = {}, error = {}, flag = {} }: Sums): Omit<OverviewView, 'days'> {
  return {
    stages: STAGES.map((name) => ({ stage: name, count: stage[name] ?? 0 })),
    seconds: [...FINISH_SECONDS, null].map((upTo) => ({ upTo, count: seconds[upTo ?? 'more'] ?? 0 })),
    completed: state['completed'] ?? 0,
    withDocument: stage['document'] ?? 0,
    errors: mostFrequent(error).map(([code, count]) => {
      return { code, meaning: SESSION_ERRORS.get(Number(code)) ?? '', count };
    }),
    flags: mostFrequent(flag).map(([code, count]) => ({ code, count })),
  };
}

function mostFrequent(counts: Record<string, number>) {
  const sorted = Object.entries(counts).sort(([, left], [, right]) => right - left);
  return sorted.slice(0, MAX_CODES);
}
