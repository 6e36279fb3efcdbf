// Calls on sessions: search, view, reveal and redact.
import { oneOf } from '@limen/contract';
import { THRESHOLD_RESULTS } from '@limen/plan';
import { type Static, Type } from 'typebox';
import { Answer, type Console } from '../../console/door/console.ts';
import { requireOperator } from '../../console/door/guard.ts';
import { type KeyView, presentKeys } from '../../console/door/key-names.ts';
import { isAllowed } from '../../console/operators/permissions.ts';
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import { AppError, invalid } from '../../platform/base/errors.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import { hashLine } from '../../platform/sealing/hash-chain.ts';
import type { ReviewDesk } from '../../review/desk.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import { presentDelivery } from '../../webhooks/routes.ts';
import type { ChannelStore } from '../device/store.ts';
import { describeDeliveryCourse, describeDeviceCourse } from '../host/read-evidence.ts';
import { SESSION_KINDS } from '../lifecycle/kinds.ts';
import type { SessionMark } from '../lifecycle/marks.ts';
import { SESSION_STATES } from '../lifecycle/rules.ts';
import type { Sessions, StoredSession } from '../lifecycle/sessions.ts';
import { MAX_DELIVERIES, PAGE_SIZE } from '../limits.ts';
import { FLAG_CODES } from '../risk/explain-flags.ts';
import { openIfWhole, presentRow, presentSession, reveal, type SessionRowView } from './present.ts';

const CURSOR = /^(\d{1,15})\.([0-9a-f-]{36})$/;
const VERIFICATION_OUTCOMES = ['SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED'] as const;
const OUTCOMES = [...THRESHOLD_RESULTS, 'AGE_UNKNOWN', ...VERIFICATION_OUTCOMES] as const;

const short = Type.String({ minLength: 1, maxLength: 200 });
const time = Type.Integer({ minimum: 0, maximum: 8.64e15 });
const Search = Type.Object({
  kind: Type.Optional(oneOf(SESSION_KINDS)),
  state: Type.Optional(oneOf(SESSION_STATES)),
  world: Type.Optional(oneOf(['live', 'test'])),
  outcome: Type.Optional(oneOf(OUTCOMES)),
  recommendation: Type.Optional(oneOf(['ALLOW', 'REVIEW', 'BLOCK'])),
  flag: Type.Optional(short),
  key: Type.Optional(short),
  id: Type.Optional(Type.String({ pattern: '^[0-9a-f-]{6,36}$' })),
  from: Type.Optional(time),
  until: Type.Optional(time),
  transactionId: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  after: Type.Optional(short),
  version: Type.Optional(short),
});
const IdPath = Type.Object({ id: Type.String() });

export type SessionFilters = Omit<Static<typeof Search>, 'after' | 'version'>;

export interface SessionPageView {
  /** Changes whenever the list does */
  version: string;
  /** Left out if the version is the requested one */
  sessions?: SessionRowView[];
  next?: string;
}

export interface FilterChoices {
  outcomes: readonly string[];
  flags: readonly string[];
  keys: Pick<KeyView, 'id' | 'label' | 'world'>[];
}

interface SessionSources {
  sessions: Sessions;
  deviceChannels: Pick<ChannelStore, 'find'>;
  webhooks: Pick<Webhooks, 'list' | 'triesOf'>;
  desk: Pick<ReviewDesk, 'findOfSession'>;
}

export function addSessionConsole(
  { add, digest, record, recordWith, noteLook, confirm, keyNames }: Console,
  { apiKeys }: Pick<Context, 'apiKeys'>,
  { sessions, deviceChannels, webhooks, desk }: SessionSources,
): void {
  add('GET /console/api/sessions/choices', {}, async (): Promise<FilterChoices> => {
    const keys = presentKeys(await apiKeys.list()).map(({ id, label, world }) => ({ id, label, world }));
    return { outcomes: OUTCOMES, flags: FLAG_CODES, keys };
  });

  add('POST /console/api/sessions/search', { body: Search }, async ({ body, request }): Promise<SessionPageView> => {
    const { after, version, key, id: idPrefix, ...filters } = body;
    if (filters.transactionId !== undefined) {
      await record(request, 'session.search', digest('audit/transaction', filters.transactionId));
    }
    const rows = await sessions.browse({
      ...filters,
      // Sessions that were given up have a recommendation that no one acts on, so they are left out.
      state: filters.state ?? (filters.recommendation && 'completed'),
      idPrefix,
      apiKeyId: key,
      marks: listMarks(filters),
      before: after === undefined ? undefined : readCursor(after),
      limit: PAGE_SIZE + 1,
    });
    const page = rows.slice(0, PAGE_SIZE);
    const current = hashLine(JSON.stringify(page.map(({ id, state }) => [id, state])));
    if (version === current) return { version: current };
    const last = rows.length > PAGE_SIZE ? page.at(-1) : undefined;
    const names = await keyNames();
    return {
      version: current,
      sessions: page.map((row) => presentRow(row, names, openIfWhole(row))),
      ...(last && { next: `${last.created_at}.${last.id}` }),
    };
  });

  add('GET /console/api/sessions/:id', { params: IdPath }, async ({ params, request }) => {
    const row = await find(params.id);
    await noteLook(request, 'session.view', row.id);
    const owner = ownerFrom(row);
    const [channel, deliveries, names, found] = await Promise.all([
      deviceChannels.find(row.id),
      webhooks.list(owner, { limit: MAX_DELIVERIES, sessionId: row.id }),
      keyNames(),
      desk.findOfSession(row.id),
    ]);
    const shown = deliveries.map((delivery) => ({ ...presentDelivery(delivery), tries: webhooks.triesOf(delivery) }));
    const evidence = {
      course: channel ? describeDeviceCourse(channel.state) : null,
      deliveries: deliveries.map((delivery) => describeDeliveryCourse(delivery, webhooks.triesOf(delivery))).reverse(),
    };
    return presentSession(row, names, evidence, shown, found);
  });

  add('POST /console/api/sessions/:id/reveal', { params: IdPath }, async ({ params, request }) => {
    const row = await find(params.id);
    const { role } = requireOperator(request).operator;
    if (row.world === 'live' && !isAllowed(role, 'sessions.reveal')) {
      await record(request, 'refused', 'session.reveal');
      throw new AppError('forbidden', `The role ${role} sees personal values of test sessions only.`);
    }
    await record(request, 'session.reveal', row.id);
    return reveal(row.open());
  });

  add('POST /console/api/sessions/:id/redact', { params: IdPath, body: Answer }, async ({ params, body, request }) => {
    const row = await find(params.id);
    await confirm(request, 'session.redact', row.id, body);
    if (!(await sessions.redact(row.id, recordWith(request, 'session.redact', row.id)))) throw notFound();
    return {};
  });

  async function find(id: string): Promise<StoredSession> {
    const row = await sessions.look(named<SessionId>(id));
    if (!row) throw notFound();
    return row;
  }
}

function listMarks({ outcome, recommendation, flag, transactionId }: SessionFilters): SessionMark[] {
  // The rarest first, whose index the list uses.
  const wanted = { transaction: transactionId, flag, outcome, recommendation };
  return Object.entries(wanted).flatMap(([kind, value]) =>
    value === undefined ? [] : [{ kind: kind as SessionMark['kind'], value }],
  );
}

function readCursor(text: string): Pick<StoredSession, 'created_at' | 'id'> {
  const [, time, id] = CURSOR.exec(text) ?? [];
  if (time === undefined || id === undefined)
    throw invalid('body.after', 'must be the next of an earlier page, unchanged');
  return { created_at: Number(time), id: named<SessionId>(id) };
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such session; it may have been deleted.');
}
