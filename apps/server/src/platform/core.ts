// Creates everything that works on an open database, for the service and for commands.
import type { Logger } from 'pino';
import { createApiKeys } from './api-keys/api-keys.ts';
import { createKeyUses } from './api-keys/key-uses.ts';
import { createApiKeyStore } from './api-keys/store.ts';
import type { Clock } from './base/clock.ts';
import type { Ids } from './base/ids.ts';
import type { Database } from './database/database.ts';
import { Idempotency } from './idempotency/idempotency.ts';
import { Jobs } from './jobs/jobs.ts';
import { JobStore } from './jobs/store.ts';
import type { Sealer } from './sealing/sealer.ts';

export type Core = ReturnType<typeof createCore>;

interface CoreOptions {
  database: Database;
  sealer: Sealer;
  clock: Clock;
  jobClock?: Clock | undefined;
  ids: Ids;
  log: Logger;
  allowDevelopmentKeys: boolean;
}

export function createCore({ jobClock, allowDevelopmentKeys, ...parts }: CoreOptions) {
  const { database, sealer, clock, ids, log } = parts;
  const keyUses = createKeyUses(database, clock, log);
  const store = createApiKeyStore(database, sealer, log);
  const jobStore = new JobStore(database);
  return {
    ...parts,
    keyUses,
    apiKeys: createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys, onUse: keyUses.note }),
    jobStore,
    jobs: new Jobs({ database, store: jobStore, sealer, clock: jobClock ?? clock, ids, log }),
    idempotency: new Idempotency({ database, sealer, clock }),
  };
}
