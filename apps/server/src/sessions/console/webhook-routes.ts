// Calls on webhooks: search by stage, and send again.
import { oneOf } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import type { KeyNames } from '../../console/door/key-names.ts';
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import { AppError, invalid } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import { startOfDays } from '../../records/activity.ts';
import type { ActSubject } from '../../records/audit/acts.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import { presentDelivery } from '../../webhooks/routes.ts';
import { COUNTED_UP_TO, MAX_RESENT, PAGE_SIZE } from '../limits.ts';
import {
  type BrowsedDelivery,
  createDeliveryBrowser,
  DELIVERY_STAGES,
  type DeliveryBrowser,
  type DeliveryStage,
} from './browse-deliveries.ts';

const HOUR_MS = 60 * 60_000;
/** Hours up to now, or whole days (UTC) up to today, as in the overview */
const SPANS = ['1h', '24h', '7d', '30d', '90d', '365d'] as const;
export type WebhookSpan = (typeof SPANS)[number];
export type WebhookRowView = ReturnType<typeof presentRow>;

export type WebhookFilters = Omit<Static<typeof Search>, 'after'>;

export interface WebhookPageView {
  /** Counts under the other filters; `upTo` stands for any number above it */
  counts: WebhookCountsView;
  webhooks: WebhookRowView[];
  next?: string;
}

/** Ids of deliveries that are sent again, and of those that have no body or are deleted */
export type ResentView = Record<'resent' | 'gone', string[]>;
export type WebhookCountsView = Awaited<ReturnType<DeliveryBrowser['count']>> & { upTo: number };

const uuid = Type.String({ minLength: 36, maxLength: 36 });
const Search = Type.Object({
  stage: Type.Optional(oneOf(DELIVERY_STAGES)),
  world: Type.Optional(oneOf(['live', 'test'])),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  since: Type.Optional(oneOf(SPANS)),
  after: Type.Optional(uuid),
});
const Resend = Type.Object({ ids: Type.Array(uuid, { minItems: 1, maxItems: MAX_RESENT }) });

export function addWebhookConsole(
  { add, keyNames, recordWith }: Console,
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  webhooks: Pick<Webhooks, 'look' | 'resend'>,
): void {
  const browser = createDeliveryBrowser(database);

  add('POST /console/api/webhooks/search', { body: Search }, async ({ body }): Promise<WebhookPageView> => {
    const { stage, world, key, since, after } = body;
    if (after !== undefined && !isUuid(after)) {
      throw invalid('body.after', 'must be the next of an earlier page, unchanged');
    }
    const createdFrom = since === undefined ? undefined : computeStart(since, clock.now());
    const filter = { world, apiKeyId: key, createdFrom };
    const [counts, found, names] = await Promise.all([
      browser.count(filter, COUNTED_UP_TO + 1),
      browser.list({ ...filter, stage, before: after, limit: PAGE_SIZE + 1 }),
      keyNames(),
    ]);
    const shown = found.slice(0, PAGE_SIZE);
    const next = found.length > PAGE_SIZE ? shown.at(-1)?.id : undefined;
    return {
      counts: { ...counts, upTo: COUNTED_UP_TO },
      webhooks: shown.map((row) => presentRow(row, names)),
      ...(next !== undefined && { next }),
    };
  });

  add('POST /console/api/webhooks/resend', { body: Resend }, async ({ body, request }): Promise<ResentView> => {
    const { resent, gone }: ResentView = { resent: [], gone: [] };
    for (const id of new Set(body.ids)) ((await resend(id, request)) ? resent : gone).push(id);
    return { resent, gone };
  });

  /** Returns false if there is nothing to send. The audit line is part of the transaction. */
  async function resend(id: string, request: FastifyRequest): Promise<boolean> {
    const row = isUuid(id) ? await webhooks.look(id) : undefined;
    if (!row) return false;
    try {
      await webhooks.resend(ownerFrom(row), row.id, recordWith(request, 'delivery.resend', row.id));
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    }
  }
}

function computeStart(since: WebhookSpan, now: number): number {
  const amount = Number.parseInt(since, 10);
  return since.endsWith('h') ? now - amount * HOUR_MS : startOfDays(now, amount);
}

function presentRow(row: BrowsedDelivery, names: KeyNames) {
  return {
    ...presentDelivery(row),
    stage: findStage(row),
    world: row.world,
    customer: names.customerOf(row.customer),
    key: { id: row.api_key_id, label: names.labelOf(row.api_key_id) },
    about: findPlace(row),
  };
}

function findStage({ state, attempts, attempts_before }: BrowsedDelivery): DeliveryStage {
  if (state !== 'pending') return state;
  return attempts > attempts_before ? 'retrying' : 'waiting';
}

function findPlace({ session_id: id, hasSession, hasSubject, caseId }: BrowsedDelivery) {
  const at = (place: ActSubject, placeId: string) => ({ place, id: placeId });
  if (hasSession) return at('session', id);
  if (caseId !== null) return at('case', caseId);
  return hasSubject ? at('subject', id) : null;
}
