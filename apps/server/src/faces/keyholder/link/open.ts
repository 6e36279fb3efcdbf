// Opens the key-holder as configured: a worker thread of this process, or one in a process of its own.
import { join } from 'node:path';
import type { Context } from '../../../platform/context.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { Tracing } from '../../../platform/tracing/tracing.ts';
import type { KeyHolder } from './calls.ts';
import { type FindProblem, keyHolderOver, type Link } from './link.ts';
import { TlsLink } from './tls.ts';
import { createWorkerLink, type WorkerSetup } from './worker.ts';

type ThreadSettings = Pick<WorkerSetup, 'matchThreshold' | 'budgets' | 'auditDays' | 'modelManifest'>;

/** The settings of the worker thread count only without `urls`. */
export interface LinkSettings extends ThreadSettings {
  /** Addresses of separate key-holder processes, with their secrets; if absent, a worker thread is used. */
  urls: readonly string[] | undefined;
  secrets: readonly string[] | undefined;
  threadEntry: URL;
  dataDir: string;
  /** Starts the thread now and not at the first call, which then waits for half a second. */
  warm?: boolean;
}

/** `findProblem` is asked about each connection, and each start of the thread. */
export function openKeyHolder(
  { sealer, tracing, log }: Pick<Context, 'sealer' | 'log'> & Partial<Pick<Context, 'tracing'>>,
  settings: LinkSettings,
  findProblem?: FindProblem,
): KeyHolder {
  const { urls, secrets, threadEntry: entry, dataDir, matchThreshold, budgets, auditDays, modelManifest } = settings;
  if (urls !== undefined) {
    if (secrets === undefined) throw new Error('a key-holder of its own needs a secret');
    return keyHolderOver(traced(new TlsLink({ urls, secrets, findProblem, log }), tracing));
  }
  const folder = keyHolderFolder(dataDir);
  const masterKey = deriveMasterKey(sealer);
  const setup = { folder, masterKey, matchThreshold, budgets, auditDays, modelManifest };
  const link = createWorkerLink({ entry, setup, findProblem }, log);
  if (settings.warm) link.warm();
  return keyHolderOver(traced(link, tracing));
}

/** Each call is a span, by its name alone. */
function traced(link: Link, tracing: Tracing | undefined): Link {
  if (!tracing) return link;
  return {
    state: () => link.state(),
    close: () => link.close(),
    call(call, ask, blobs) {
      const attributes = { 'rpc.system.name': 'limen', 'rpc.method': call };
      return tracing.call({ name: `keyholder ${call}`, kind: 'client', attributes }, () => link.call(call, ask, blobs));
    },
  };
}

export function keyHolderFolder(dataDir: string): string {
  return join(dataDir, 'keyholder');
}

/** Of the thread. From the look-up key, which a change of the service's master key leaves as it is. */
export function deriveMasterKey(sealer: Sealer): Uint8Array {
  return sealer.digest('keyholder master key', 'v1');
}
