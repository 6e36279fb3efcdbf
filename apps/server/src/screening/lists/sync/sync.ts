// Loads a list from its publisher and refreshes it. If that fails, the current list keeps serving.
import type { ListFormat } from '@limen/screening';
import type { Clock } from '../../../platform/base/clock.ts';
import type { ListOutbound } from '../../../platform/outbound/lists.ts';
import type { ListFiles } from '../build-worker.ts';
import type { DatasetFolder, DatasetInfo } from '../folder/folder.ts';
import { withDatasetLock } from '../folder/lock.ts';
import { DatasetError, requireDatasetName } from '../folder/names.ts';
import { storeDataset } from '../folder/store.ts';
import { buildList, detect, type SyncOutcome, type SyncStep, syncFiles } from './files.ts';
import { findKnownList, type Remote } from './known-lists.ts';
import { syncOpenSanctions } from './opensanctions.ts';

export interface DatasetTools {
  folder: DatasetFolder;
  outbound: Pick<ListOutbound, 'startingAt' | 'asBefore'>;
  clock: Clock;
}

export interface SyncOptions {
  /** Fetches and loads everything again, even a list that lost more than half of its entities. */
  force?: boolean;
  /** Refuses a list that was removed or replaced since. */
  known?: boolean;
  signal?: AbortSignal;
  onStep?: (step: SyncStep) => void;
}

export async function loadRemote(
  name: string,
  remote: Remote,
  tools: DatasetTools,
  options: SyncOptions = {},
): Promise<SyncOutcome> {
  requireDatasetName(name);
  return withDatasetLock(tools.folder.path, name, async (temporary, requireLock) => {
    const known = options.known ? (await findRemembered(name, tools))?.sync : undefined;
    if (options.known && !known) throw new DatasetError(`${name} is no longer a list that is refreshed.`);
    const url = remote.kind === 'files' ? remote.files[0]!.url : remote.indexUrl;
    const { outbound, allowPrivate } = known
      ? tools.outbound.asBefore(known.allowPrivate === true)
      : await tools.outbound.startingAt(url);
    const { force = false } = options;
    const context = { ...tools, ...options, outbound, allowPrivate, force, temporary, requireLock };
    return remote.kind === 'files'
      ? syncFiles(name, remote, context)
      : syncOpenSanctions(name, remote.indexUrl, context);
  });
}

export async function loadLocal(
  name: string,
  list: { format: ListFormat | undefined; files: ListFiles; source: string },
  tools: Pick<DatasetTools, 'folder' | 'clock'>,
  options: SyncOptions = {},
): Promise<SyncOutcome> {
  requireDatasetName(name);
  return withDatasetLock(tools.folder.path, name, async (_temporary, requireLock) => {
    const format = list.format ?? (await detect(list.source, list.files.main));
    const built = await buildList({ kind: 'list', name, format, files: list.files }, options);
    const { force = false } = options;
    const info = await storeDataset({ name, format, source: list.source }, built, { ...tools, force, requireLock });
    return { state: 'loaded', how: 'full', info, report: built.report };
  });
}

/** Refreshes a list from its remembered address, or loads a known one. */
export async function syncDataset(name: string, tools: DatasetTools, options: SyncOptions = {}): Promise<SyncOutcome> {
  const info = await findRemembered(name, tools);
  const remembered = findRemote(info);
  if (remembered) return loadRemote(name, remembered, tools, { ...options, known: true });
  const remote = options.known ? undefined : findKnownList(name)?.remote;
  if (remote) return loadRemote(name, remote, tools, options);
  throw new DatasetError(
    info
      ? `It has no address to refresh it from; load it again with: limen datasets add ${name} …`
      : 'There is no list with this name; see: limen datasets list',
  );
}

async function findRemembered(name: string, { folder }: DatasetTools): Promise<DatasetInfo | undefined> {
  return (await folder.remembered()).find((info) => info.name === name);
}

function findRemote(info: DatasetInfo | undefined): Remote | undefined {
  if (!info?.sync) return undefined;
  const { openSanctions, files } = info.sync;
  return openSanctions
    ? { kind: 'opensanctions', indexUrl: openSanctions.indexUrl }
    : { kind: 'files', format: info.format, files: files.map(({ role, url }) => ({ role, url })) };
}
