// Opens the key-holder as configured: a worker thread of this process, or a separate process.
import { join } from 'node:path';
import type { Context } from '../../../platform/context.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { Tracing } from '../../../platform/tracing/tracing.ts';
import type { KeyHolder } from './calls.ts';
import { type FindProblem, keyHolderOver, type Link } from './link.ts';
import { TlsLink } from './tls.ts';
import { createWorkerLink, type WorkerSetup } from './worker.ts';

export interface LinkSettings extends Omit<WorkerSetup, 'folder' | 'masterKey'> {
  urls: readonly string[] | undefined;
  secrets: readonly string[] | undefined;
  threadEntry: URL;
  dataDir: string;
  /** Starts the thread now rather than at the first call, which would wait for half a second. */
  warm?: boolean;
}

export function openKeyHolder(
  { sealer, tracing, log }: Pick<Context, 'sealer' | 'log'> & Partial<Pick<Context, 'tracing'>>,
  { urls, secrets, threadEntry: entry, dataDir, warm, ...thread }: LinkSettings,
  findProblem?: FindProblem,
): KeyHolder {
  if (urls !== undefined) {
    if (secrets === undefined) throw new Error('a separate key-holder needs a secret');
    return keyHolderOver(traced(new TlsLink({ urls, secrets, findProblem, log }), tracing));
  }
  const { matchThreshold, budgets, auditDays, modelManifest } = thread;
  const options = { matchThreshold, budgets, auditDays, modelManifest };
  const setup = { folder: keyHolderFolder(dataDir), masterKey: deriveMasterKey(sealer), ...options };
  const link = createWorkerLink({ entry, setup, findProblem }, log);
  if (warm) link.warm();
  return keyHolderOver(traced(link, tracing));
}

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

export function deriveMasterKey(sealer: Sealer): Uint8Array {
  return sealer.digest('keyholder master key', 'v1');
}
