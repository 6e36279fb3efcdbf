// The lists and collections as yente tells of its datasets.
import { createHash } from 'node:crypto';
import type { Dataset, YenteCatalog, YenteDataset } from '@limen/contract';

export function writeCatalog(datasets: readonly Dataset[]): YenteCatalog {
  const builtAt = new Map(datasets.map(({ name, builtAt }) => [name, builtAt]));
  const written = datasets.map((dataset) => writeDataset(dataset, builtAt));
  const outdated = written.filter(({ index_current: isCurrent }) => !isCurrent).map(({ name }) => name);
  return {
    datasets: written,
    current: written.filter(({ index_current: isCurrent }) => isCurrent).map(({ name }) => name),
    outdated,
    index_stale: outdated.length > 0,
  };
}

function writeDataset(dataset: Dataset, builtAt: ReadonlyMap<string, string | undefined>): YenteDataset {
  const { name, kind, status, version = '', entityCount = 0, members = [], problem } = dataset;
  const isReady = status === 'ready';
  // A collection is as new as the newest of its lists.
  const times = [name, ...members].flatMap((list) => builtAt.get(list) ?? []).sort();
  return {
    name,
    title: kind === 'collection' ? (TITLES[name] ?? name) : name,
    load: isReady,
    version,
    index_version: isReady ? stampOf(times.at(-1), version) : null,
    // What keeps a collection from being whole is a problem of the list that is missing.
    index_current: isReady && (kind === 'collection' || problem === undefined),
    children: members,
    tags: [kind],
    entity_count: entityCount,
    entities_url: null,
    delta_url: null,
  };
}

const TITLES: Readonly<Record<string, string>> = {
  default: 'All lists',
  sanctions: 'Sanctions',
  peps: 'Politically exposed people',
};

/** `YYYYMMDDHHMMSS`, and something that changes with the version. */
function stampOf(time: string | undefined, version: string): string {
  const digits = (time ?? '').replaceAll(/\D/g, '').slice(0, 14).padEnd(14, '0');
  return `${digits}-${createHash('sha256').update(version).digest('hex').slice(0, 3)}`;
}
