// Refreshes a list of OpenSanctions: nothing for the same version, deltas if they lead to the new one, else all of it.
import { LOADER_VERSION } from '@limen/screening';
import { withoutQuery } from '../../../platform/outbound/error.ts';
import { MAX_LIST_BYTES, MAX_LIST_DELTA_BYTES, MAX_LIST_INDEX_BYTES } from '../../limits.ts';
import type { BuildSummary, DatasetInfo } from '../folder/info.ts';
import { DatasetError } from '../folder/names.ts';
import { storeDataset } from '../folder/store.ts';
import { downloadJson } from './download-file.ts';
import { buildList, describeProblem, fetchFile, isUsable, type SyncContext, type SyncOutcome } from './files.ts';

export async function syncOpenSanctions(name: string, indexUrl: string, context: SyncContext): Promise<SyncOutcome> {
  const { folder, outbound, clock, force, signal } = context;
  const described = await downloadJson(outbound, indexUrl, MAX_LIST_INDEX_BYTES, signal);
  const index = parseOpenSanctionsIndex(described, indexUrl);
  const found = await folder.find(name);
  const current = !force && found?.sync?.openSanctions?.indexUrl === indexUrl ? found : undefined;
  const checkedAt = new Date(clock.now()).toISOString();
  const isSameVersion = current?.version === index.version;
  if (isSameVersion && (await isUsable(current, folder))) {
    return { state: 'unchanged', info: await folder.noteSync(current, { ...current.sync!, checkedAt }) };
  }

  const store = (built: BuildSummary) => {
    const openSanctions = { indexUrl, ...(index.people !== undefined && { publishedPeople: index.people }) };
    const sync = { files: [], openSanctions, checkedAt, ...(context.allowPrivate && { allowPrivate: true }) };
    const { version } = index;
    return storeDataset({ name, format: 'ftm-json', source: withoutQuery(indexUrl), version, sync }, built, context);
  };
  let fallback = describeUnusable(current, isSameVersion);
  if (current && fallback === undefined) {
    try {
      const built = await buildFromDeltas(current, index, indexUrl, context);
      return { state: 'loaded', how: 'deltas', info: await store(built), report: built.report };
    } catch (error) {
      if (signal?.aborted) throw error;
      fallback = describeProblem(error) ?? 'The deltas could not be applied.';
    }
  }
  const built = await buildFromScratch(name, index, context);
  const info = await store(built);
  return { state: 'loaded', how: 'full', info, report: built.report, ...(fallback !== undefined && { fallback }) };
}

function describeUnusable(current: DatasetInfo | undefined, isSameVersion: boolean): string | undefined {
  if (!current) return undefined;
  if (current.loader !== LOADER_VERSION)
    return 'The list on disk was read by an older version, which kept fewer fields.';
  return isSameVersion ? 'The index on disk is damaged.' : undefined;
}

async function buildFromScratch(
  name: string,
  { entities }: OpenSanctionsIndex,
  context: SyncContext,
): Promise<BuildSummary> {
  const main = context.temporary('main');
  await fetchFile('entities.ftm.json', { ...entities, path: main, maxBytes: MAX_LIST_BYTES }, context);
  return buildList({ kind: 'list', name, format: 'ftm-json', files: { main } }, context);
}

async function buildFromDeltas(
  current: DatasetInfo,
  index: OpenSanctionsIndex,
  indexUrl: string,
  context: SyncContext,
): Promise<BuildSummary> {
  if (index.deltaUrl === undefined) throw new DatasetError('The publisher offers no deltas.');
  const { folder, outbound, signal } = context;
  const listed = await downloadJson(outbound, index.deltaUrl, MAX_LIST_INDEX_BYTES, signal);
  const deltas = planDeltas(listed, { from: current.version, to: index.version, indexUrl });
  if (!deltas) throw new DatasetError('The deltas do not lead from the loaded version to the new one.');
  const paths: string[] = [];
  for (const [number, url] of deltas.entries()) {
    const path = context.temporary(`delta-${number}`);
    await fetchFile(`delta ${number + 1} of ${deltas.length}`, { url, path, maxBytes: MAX_LIST_DELTA_BYTES }, context);
    paths.push(path);
  }
  const base = await folder.openIndex(current);
  const built = await buildList({ kind: 'deltas', name: current.name, index: base, deltas: paths }, context);
  refuseDrift(current, index, built);
  return built;
}

/** Throws if our number of people changed by another amount than the publisher's, which counts unusable records, too. */
function refuseDrift(
  current: DatasetInfo,
  { people: published }: OpenSanctionsIndex,
  { counts, report }: BuildSummary,
): void {
  if (report.problemCount > 0) throw new DatasetError('A delta has lines that cannot be used.');
  const before = current.sync?.openSanctions?.publishedPeople;
  if (published === undefined || before === undefined) return;
  if (counts.people - current.people !== published - before) {
    throw new DatasetError('After the deltas the number of people is not the one that the publisher names.');
  }
}

const MAX_DELTAS = 100;

type OpenSanctionsIndex = ReturnType<typeof parseOpenSanctionsIndex>;

/** Parses the publisher's index without trusting it: an address must be as safe as that of the index itself. */
export function parseOpenSanctionsIndex(value: unknown, indexUrl: string) {
  const index = asRecord(value);
  const resources = Array.isArray(index['resources']) ? index['resources'].map(asRecord) : [];
  const entities = resources.find(({ name }) => name === 'entities.ftm.json');
  const url = safeUrl(entities?.['url'], indexUrl);
  const version = index['version'];
  if (typeof version !== 'string' || version === '' || !entities || url === undefined) {
    throw new DatasetError('The address is not an index of OpenSanctions with a version and a file entities.ftm.json.');
  }
  const checksum = entities['checksum'];
  const sha1 = typeof checksum === 'string' && /^[0-9a-f]{40}$/i.test(checksum) ? checksum : undefined;
  const [deltaUrl, people] = [safeUrl(index['delta_url'], indexUrl), countPeople(index['targets'])];
  return { version, entities: { url, sha1 }, deltaUrl, people };
}

/**
 * Returns the addresses of the deltas from one version to another, oldest first; undefined if they are not complete. Versions are
 * times: the oldest delta must not be newer than `from`, and the newest must be `to`.
 */
export function planDeltas(
  value: unknown,
  { from, to, indexUrl }: { from: string; to: string; indexUrl: string },
): string[] | undefined {
  const versions = Object.entries(asRecord(asRecord(value)['versions'])).sort(([a], [b]) => (a < b ? -1 : 1));
  const oldest = versions[0]?.[0];
  if (oldest === undefined || oldest > from || from >= to) return undefined;
  const needed = versions.filter(([version]) => version > from && version <= to);
  const urls = needed.flatMap(([, address]) => safeUrl(address, indexUrl) ?? []);
  const isComplete = needed.at(-1)?.[0] === to && urls.length === needed.length;
  return isComplete && urls.length <= MAX_DELTAS ? urls : undefined;
}

function countPeople(targets: unknown): number | undefined {
  const schemata = asRecord(targets)['schemata'];
  if (!Array.isArray(schemata)) return undefined;
  const count = schemata.map(asRecord).find(({ name }) => name === 'Person')?.['count'];
  return typeof count === 'number' ? count : undefined;
}

function safeUrl(value: unknown, indexUrl: string): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value, indexUrl)) return undefined;
  const url = new URL(value, indexUrl);
  const allowed = new URL(indexUrl).protocol === 'https:' ? ['https:'] : ['https:', 'http:'];
  return allowed.includes(url.protocol) ? url.href : undefined;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
