// Refreshes a list that consists of plain files at fixed addresses, such as those of OFAC or the operator's own.
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  detectFormat,
  LIST_FORMATS,
  type ListFormat,
  LOADER_VERSION,
  type LoadReport,
  TARGETS_SIMPLE_COLUMNS,
} from '@limen/screening';
import { OutboundError, withoutQuery } from '../../../platform/outbound/error.ts';
import type { Outbound } from '../../../platform/outbound/guarded-fetch.ts';
import { MAX_LIST_BYTES } from '../../limits.ts';
import { BuildError, buildDataset } from '../build.ts';
import type { BuildProgress, BuildRequest, ListFiles } from '../build-worker.ts';
import type { DatasetFolder } from '../folder/folder.ts';
import type { BuildSummary, DatasetInfo, SyncedFile } from '../folder/info.ts';
import { DatasetError } from '../folder/names.ts';
import { type StoreOptions, storeDataset } from '../folder/store.ts';
import { downloadFile } from './download-file.ts';
import type { RemoteFiles } from './known-lists.ts';

const HEAD_BYTES = 64 * 2 ** 10;

export type SyncStep =
  | { step: 'download'; file: string; received: number; expected: number | undefined }
  | ({ step: 'read' } & BuildProgress);

export type SyncOutcome =
  | { state: 'unchanged'; info: DatasetInfo }
  /** `fallback` is the reason why deltas were not enough. */
  | { state: 'loaded'; how: 'full' | 'deltas'; info: DatasetInfo; report: LoadReport; fallback?: string };

/** One run of a refresh, which holds the lock of its list. */
export interface SyncContext extends StoreOptions {
  outbound: Outbound;
  signal?: AbortSignal | undefined;
  onStep?: ((step: SyncStep) => void) | undefined;
  /** Returns the path of a temporary file of this run. */
  temporary(label: string): string;
  /** Whether the operator's address was private when it was added. */
  allowPrivate: boolean;
}

export function buildList(
  request: BuildRequest,
  { onStep, signal }: Pick<SyncContext, 'onStep' | 'signal'>,
): Promise<BuildSummary> {
  return buildDataset(request, { onProgress: (progress) => onStep?.({ step: 'read', ...progress }), signal });
}

/** Downloads a file of a list and reports the progress under the name `file`. */
export function fetchFile(
  file: string,
  download: Omit<Parameters<typeof downloadFile>[1], 'signal' | 'onBytes'>,
  { outbound, onStep, signal }: SyncContext,
) {
  const onBytes = (received: number, expected: number | undefined) =>
    onStep?.({ step: 'download', file, received, expected });
  return downloadFile(outbound, { ...download, onBytes, signal });
}

export async function syncFiles(name: string, remote: RemoteFiles, context: SyncContext): Promise<SyncOutcome> {
  const { folder, force, temporary, allowPrivate } = context;
  const now = () => new Date(context.clock.now()).toISOString();
  const current = await folder.find(name);
  // Copies are kept only of the same files in the same format; otherwise everything is fetched again.
  const isKnown = !force && current && isSameSource(current, remote) && (await isUsable(current, folder));
  const known = isKnown ? current : undefined;
  const fetched = await fetchAll(remote, known?.sync?.files ?? [], context);
  if (known && (!fetched || fetched.every(({ file, before }) => file.sha256 === before?.sha256))) {
    const files = fetched?.map(({ file }) => file) ?? known.sync!.files;
    return { state: 'unchanged', info: await folder.noteSync(known, { ...known.sync!, files, checkedAt: now() }) };
  }
  const files = Object.fromEntries(fetched!.map(({ file }) => [file.role, temporary(file.role)])) as ListFiles;
  const format = remote.format ?? (await detect(remote.files[0]!.url, files.main));
  const built = await buildList({ kind: 'list', name, format, files }, context);
  const sync = { files: fetched!.map(({ file }) => file), checkedAt: now(), ...(allowPrivate && { allowPrivate }) };
  const info = await storeDataset({ name, format, source: withoutQuery(sync.files[0]!.url), sync }, built, context);
  return { state: 'loaded', how: 'full', info, report: built.report };
}

/** Returns false if the index is damaged, or an older loader read the list. Such a list is never up to date. */
export async function isUsable(info: DatasetInfo, folder: Pick<DatasetFolder, 'examineIndex'>): Promise<boolean> {
  return info.loader === LOADER_VERSION && (await folder.examineIndex(info, 'whole')) === undefined;
}

export async function detect(fileName: string, path: string): Promise<ListFormat> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    if (bytesRead === 0) throw new DatasetError('The file is empty; there is nothing to load.');
    const head = buffer.subarray(0, bytesRead);
    const format = detectFormat(basename(fileName), head);
    if (format) return format;
    throw new DatasetError(explainUnknownFormat(head));
  } finally {
    await file.close();
  }
}

/** Returns undefined if no file has changed. If one has, all are fetched, because the sources of a list are not kept. */
async function fetchAll({ files }: RemoteFiles, known: readonly SyncedFile[], context: SyncContext) {
  const fetched: { file: SyncedFile; before: SyncedFile | undefined }[] = [];
  for (const wanted of files) {
    const before = known.find(({ role }) => role === wanted.role);
    fetched.push({ file: (await fetchOne(wanted, before, context)) ?? wanted, before });
  }
  const unchanged = fetched.filter(({ file }) => file.sha256 === undefined);
  if (unchanged.length === fetched.length) return undefined;
  for (const entry of unchanged) entry.file = (await fetchOne(entry.file, undefined, context))!;
  return fetched;
}

async function fetchOne(
  { role, url }: RemoteFiles['files'][number],
  known: SyncedFile | undefined,
  context: SyncContext,
): Promise<SyncedFile | undefined> {
  const download = { url, path: context.temporary(role), maxBytes: MAX_LIST_BYTES, known };
  const downloaded = await fetchFile(basename(new URL(url).pathname), download, context);
  return downloaded && { role, url, ...downloaded };
}

function isSameSource(current: DatasetInfo, { format, files }: RemoteFiles): boolean {
  const before = current.sync?.openSanctions ? [] : (current.sync?.files ?? []);
  return (
    (format === undefined || format === current.format) &&
    before.length === files.length &&
    files.every(({ role, url }) => before.some((file) => file.role === role && file.url === url))
  );
}

/** Returns undefined if the error has no sentence that may be shown or logged. */
export function describeProblem(error: unknown): string | undefined {
  const isOurs = error instanceof DatasetError || error instanceof OutboundError || error instanceof BuildError;
  return isOurs ? error.message : undefined;
}

const NEEDED = `A list of your own is a CSV file with the columns ${TARGETS_SIMPLE_COLUMNS.join(', ')}, separated by commas`;

function explainUnknownFormat(head: Uint8Array): string {
  const [first = ''] = new TextDecoder()
    .decode(head)
    .replace(/^\ufeff/, '')
    .trimStart()
    .split(/\r?\n/, 1);
  for (const [delimiter, name] of [
    [',', 'commas'],
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ] as const) {
    const headings = first.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, '').toLowerCase());
    const missing = TARGETS_SIMPLE_COLUMNS.filter((column) => !headings.includes(column));
    if (headings.length < 2 || missing.length === TARGETS_SIMPLE_COLUMNS.length) continue;
    const lacks = missing.length > 0 ? `lacks the column${missing.length > 1 ? 's' : ''} ${missing.join(', ')}` : '';
    const separates = delimiter === ',' ? '' : `is separated by ${name}`;
    return `The header row ${[lacks, separates].filter(Boolean).join(' and ')}. ${NEEDED}.`;
  }
  return `The format of the list was not recognized; name it with --format (${LIST_FORMATS.join(', ')}). ${NEEDED}.`;
}
