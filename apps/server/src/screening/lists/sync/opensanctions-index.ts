// What OpenSanctions publishes beside a dataset: its version, its files with checksums, and the deltas between versions.
import { DatasetError } from '../folder/error.ts';

export interface OpenSanctionsIndex {
  version: string;
  entities: { url: string; sha1?: string };
  deltaUrl?: string;
  /** People in this version, by the publisher's own count. */
  people?: number;
}

export interface Delta {
  version: string;
  url: string;
}

/** More than this is slower than the whole list. */
const MAX_DELTAS = 100;

/** What the publisher sends is not trusted: an address must be as safe as that of the index itself. */
export function parseOpenSanctionsIndex(value: unknown, indexUrl: string): OpenSanctionsIndex {
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
  const deltaUrl = safeUrl(index['delta_url'], indexUrl);
  const people = countPeople(index['targets']);
  return {
    version,
    entities: { url, ...(sha1 !== undefined && { sha1 }) },
    ...(deltaUrl !== undefined && { deltaUrl }),
    ...(people !== undefined && { people }),
  };
}

/**
 * The deltas that lead from one version to another, oldest first. Undefined when the way is not complete: versions are
 * times, so it is complete when the oldest delta is not newer than what we have and the newest is the one we want.
 */
export function planDeltas(
  value: unknown,
  { from, to, indexUrl }: { from: string; to: string; indexUrl: string },
): Delta[] | undefined {
  const versions = Object.entries(asRecord(asRecord(value)['versions'])).sort(([a], [b]) => (a < b ? -1 : 1));
  const oldest = versions[0]?.[0];
  if (oldest === undefined || oldest > from || from >= to) return undefined;
  const needed: Delta[] = [];
  for (const [version, address] of versions) {
    if (version <= from || version > to) continue;
    const url = safeUrl(address, indexUrl);
    if (url === undefined) return undefined;
    needed.push({ version, url });
  }
  return needed.at(-1)?.version === to && needed.length <= MAX_DELTAS ? needed : undefined;
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
