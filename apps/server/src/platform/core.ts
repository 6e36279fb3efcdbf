// Everything that works on an open database, in the service and in commands.
import type { Logger } from 'pino';
import { type ApiKeys, createApiKeys } from './api-keys/api-keys.ts';
import { createKeyUses, type KeyUses } from './api-keys/key-uses.ts';
import { createApiKeyStore } from './api-keys/store.ts';
import type { Clock } from './base/clock.ts';
import type { Ids } from './base/ids.ts';
import type { Database } from './database/database.ts';
import { Idempotency } from './idempotency/idempotency.ts';
import { Jobs } from './jobs/jobs.ts';
import { JobStore } from './jobs/store.ts';
import type { Sealer } from './sealing/sealer.ts';

export interface Core {
  database: Database;
  sealer: Sealer;
  apiKeys: ApiKeys;
  keyUses: KeyUses;
  idempotency: Idempotency;
  jobs: Jobs;
  jobStore: JobStore;
  clock: Clock;
  ids: Ids;
  log: Logger;
}

interface CoreOptions extends Pick<Core, 'database' | 'sealer' | 'clock' | 'ids' | 'log'> {
  /** Clock that decides when jobs are due, if not `clock`. */
  jobClock?: Clock | undefined;
  allowDevelopmentKeys: boolean;
}

export function createCore({ jobClock, allowDevelopmentKeys, ...given }: CoreOptions): Core {
  const { database, sealer, clock, ids, log } = given;
  const keyUses = createKeyUses(database, clock, log);
  const store = createApiKeyStore(database, sealer, log);
  const jobStore = new JobStore(database);
  return {
    ...given,
    keyUses,
    apiKeys: createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys, onUse: keyUses.note }),
    jobStore,
    jobs: new Jobs({ database, store: jobStore, sealer, clock: jobClock ?? clock, ids, log }),
    idempotency: new Idempotency({ database, sealer, clock }),
  };
}
