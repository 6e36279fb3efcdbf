// Bare database work of a session: the same rows and commits by the same storage code.
import { randomBytes, randomUUID } from 'node:crypto';
import { systemClock as clock } from '../../../apps/server/src/platform/base/clock.ts';
import { type CustomerId, createIds, type SessionId } from '../../../apps/server/src/platform/base/ids.ts';
import { JobStore } from '../../../apps/server/src/platform/jobs/store.ts';
import type { Sealer } from '../../../apps/server/src/platform/sealing/sealer.ts';
import { openStorage } from '../../../apps/server/src/platform/storage.ts';
import { createChannelStore } from '../../../apps/server/src/sessions/device/store.ts';
import { createSessionStore } from '../../../apps/server/src/sessions/lifecycle/store.ts';
import { deliverWebhook } from '../../../apps/server/src/webhooks/deliver.ts';
import { createWebhookStore } from '../../../apps/server/src/webhooks/store.ts';

const HOUR_MS = 3_600_000;
/** Sizes of sealed values, as found in the service's database. */
const BYTES = { contents: 480, outcome: 420, channel: 1_900, message: 760, payload: 190, tries: 90 };
/** Search keys of a session in the console. Constant words. */
const MARKS = Array.from({ length: 6 }, () => randomBytes(32));

export interface BareSessions {
  create(): Promise<string>;
  /** Claim, answer, and the webhook's delivery. */
  complete(id: SessionId): Promise<void>;
  read(id: SessionId): Promise<void>;
  close(): Promise<void>;
}

export async function openBareSessions(dataDir: string): Promise<BareSessions> {
  const ids = createIds(clock);
  const { database } = await openStorage({ url: undefined, dataDir, masterKey: undefined, clock, ids });
  const sessions = createSessionStore(database);
  const webhooks = createWebhookStore(database);
  const jobs = new JobStore(database);
  const channel = randomBytes(BYTES.channel);
  const channels = createChannelStore(database, { sealJson: () => channel } as unknown as Sealer);
  const state = {} as Parameters<typeof channels.toInsert>[1];
  const lookupOf = (id: SessionId) => Buffer.from(id);
  const common = { customer: ids.random<CustomerId>(), world: 'live', api_key_id: ids.random() } as const;

  async function deliver(delivery: string, job: string, leaseToken: string): Promise<void> {
    const now = clock.now();
    await webhooks.find(delivery);
    const times = { last_attempt_at: now, ended_at: now, next_attempt_at: null };
    const progress = { state: 'delivered', attempts: 1, last_status: 204, last_error: null } as const;
    await database.transact(async (trx) => {
      const sealed = { sealed: randomBytes(BYTES.message), tries: randomBytes(BYTES.tries) };
      await webhooks.record(trx, delivery, 1, { ...progress, ...times, ...sealed });
      await jobs.remove(job, leaseToken, trx);
    });
  }

  return {
    async create() {
      const id = ids.random<SessionId>();
      const now = clock.now();
      const times = { created_at: now, expires_at: now + HOUR_MS, ended_at: null, purge_at: null };
      const rest = {
        token_lookup: lookupOf(id),
        sealed: randomBytes(BYTES.contents),
        outcome: null,
        person_id: null,
        end_state: null,
      };
      const row = { id, kind: 'age', state: 'created', ...common, ...times, ...rest } as const;
      await database.transact((trx) => sessions.insert(trx, row));
      return id;
    },

    async complete(id) {
      const now = clock.now();
      const toInsert = channels.toInsert(id, state);
      await database.transact(async (trx) => {
        await toInsert(trx);
        await sessions.move(trx, id, 'capturing', now);
      });
      const [delivery, job, leaseToken] = [ids.sortable(), ids.sortable(), randomUUID()];
      await database.transact(async (trx) => {
        await channels.toUpdate(id, { state, revision: 1 }, state)(trx);
        const outcome = randomBytes(BYTES.outcome);
        const times = { ended_at: now, purge_at: now + HOUR_MS };
        await sessions.end(trx, { id, state: 'completed', ...times, outcome, person_id: null });
        await sessions.mark(trx, { id, created_at: now }, MARKS);
        const counts = { round: 1, attempts: 0, attempts_before: 0 };
        const last = { last_attempt_at: null, last_status: null, last_error: null, ended_at: null };
        const due = { next_attempt_at: now, created_at: now, purge_at: now + HOUR_MS };
        const names = { id: delivery, session_id: id, target: 'http://127.0.0.1:8080/', state: 'pending' } as const;
        const sealed = randomBytes(BYTES.message);
        await webhooks.insert(trx, { ...names, ...common, ...counts, ...last, ...due, sealed, tries: null });
        const row = { id: job, kind: deliverWebhook.kind, payload: randomBytes(BYTES.payload) };
        const lease = { token: leaseToken, until: now + HOUR_MS };
        await jobs.insert(trx, { ...row, run_at: now, unique_key: null, created_at: now }, lease);
      });
      await deliver(delivery, job, leaseToken);
    },

    async read(id) {
      if (!(await sessions.findByLookup(lookupOf(id)))) throw new Error('a row is missing');
    },

    close: () => database.close(),
  };
}
