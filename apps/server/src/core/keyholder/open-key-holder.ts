// Opens the key-holder as configured: a worker thread of this process, or one in a process of its own.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { KeyHolder } from './keyholder.ts';
import { keyHolderOver } from './link.ts';
import { createTlsLink } from './tls-link.ts';
import { createWorkerLink, type ThreadBudgets } from './worker-link.ts';

export interface OpenKeyHolderOptions {
  /** Addresses of separate key-holder processes, with their secret; if absent, a worker thread is used. */
  urls: readonly string[] | undefined;
  secret: string | undefined;
  /** The rest is for the worker thread. */
  threadEntry: URL;
  dataDir: string;
  sealer: Sealer;
  matchThreshold: number | undefined;
  budgets?: ThreadBudgets | undefined;
  auditDays?: number | undefined;
  modelManifest: string | undefined;
  /** Starts the thread now and not at the first call, which then waits for half a second. */
  warm?: boolean;
  log: Logger;
}

export function openKeyHolder(options: OpenKeyHolderOptions): KeyHolder {
  const {
    urls,
    secret,
    threadEntry: entry,
    dataDir,
    sealer,
    matchThreshold,
    budgets,
    auditDays,
    modelManifest,
    log,
  } = options;
  if (urls !== undefined) {
    if (secret === undefined) throw new Error('a key-holder of its own needs a secret');
    return keyHolderOver(createTlsLink(urls, secret, log));
  }
  const folder = keyHolderFolder(dataDir);
  const masterKey = deriveMasterKey(sealer);
  const setup = { folder, masterKey, matchThreshold, budgets, auditDays, modelManifest };
  const link = createWorkerLink({ entry, setup }, log);
  if (options.warm) link.warm();
  return keyHolderOver(link);
}

export function keyHolderFolder(dataDir: string): string {
  return join(dataDir, 'keyholder');
}

/** From the look-up key, which a change of the service's master key leaves as it is. */
function deriveMasterKey(sealer: Sealer): Uint8Array {
  return sealer.digest('keyholder master key', 'v1');
}
