// What is known about a list on disk: the content of its dataset.json.
import { LIST_FORMATS, type ListFormat, type LoadReport, type ScreeningIndex } from '@limen/screening';
import type { FileSum } from '../../../platform/files/durable.ts';
import { isDatasetName } from './names.ts';

export interface DatasetInfo {
  /** `[a-z0-9_]{1,64}`, never that of a collection or the demo. */
  name: string;
  format: ListFormat;
  /** Address, or the bare file name of a list that was added from a file. */
  source: string;
  /** The publisher's where it is known, else the time of loading. */
  version: string;
  entityCount: number;
  people: number;
  sanctions: number;
  peps: number;
  /** ISO 8601. */
  builtAt: string;
  indexFile: string;
  indexSum: FileSum;
  /** Memory that the index takes. */
  bytes: number;
  problemCount: number;
  /** Of the loader that read it; absent for a list that was stored before they had versions. */
  loader?: number;
  /** The version before, whose index file is kept to tell what changed; absent for a first one. */
  previous?: PreviousVersion;
  /** What the next refresh needs; absent for a list that was added from a file. */
  sync?: DatasetSync;
}

/** A list that was read, before it is stored. */
export interface Built {
  index: ScreeningIndex;
  report: LoadReport;
  counts: { people: number; sanctions: number; peps: number };
}

export type PreviousVersion = Pick<DatasetInfo, 'version' | 'entityCount' | 'builtAt' | 'indexFile' | 'indexSum'>;

export interface DatasetSync {
  /** ISO 8601: when the publisher was last asked, whether or not there was anything new. */
  checkedAt: string;
  /** The operator's address was a private one; what becomes private later was not chosen by anybody. */
  allowPrivate?: boolean;
  files: SyncedFile[];
  /** A list of OpenSanctions: its index names version, files and deltas. */
  openSanctions?: { indexUrl: string; publishedPeople?: number };
}

export const FILE_ROLES = ['main', 'aliases', 'addresses', 'comments'] as const;
export type FileRole = (typeof FILE_ROLES)[number];

export interface SyncedFile {
  role: FileRole;
  url: string;
  etag?: string;
  lastModified?: string;
  sha256?: string;
}

/** Undefined when it is not what this version writes: nothing of a damaged file is believed. */
export function parseDatasetInfo(text: string): DatasetInfo | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const info = value as Partial<Record<keyof DatasetInfo, unknown>>;
  const strings = [info.name, info.source, info.version, info.builtAt, info.indexFile];
  const numbers = [info.entityCount, info.people, info.sanctions, info.peps, info.bytes, info.problemCount];
  const sound =
    strings.every((text) => typeof text === 'string') &&
    numbers.every((number) => Number.isSafeInteger(number) && (number as number) >= 0) &&
    isDatasetName(info.name as string) &&
    (LIST_FORMATS as readonly unknown[]).includes(info.format) &&
    !Number.isNaN(Date.parse(info.builtAt as string)) &&
    isIndexFile(info.indexFile as string) &&
    isSum(info.indexSum) &&
    (info.loader === undefined || Number.isSafeInteger(info.loader)) &&
    (info.previous === undefined || isPrevious(info.previous)) &&
    (info.sync === undefined || isSync(info.sync));
  return sound ? (value as DatasetInfo) : undefined;
}

/** Also keeps a path out of a name that is joined to the folder. */
export function isIndexFile(name: string): boolean {
  return /^index-[a-z0-9-]{1,64}\.bin$/.test(name);
}

function isPrevious(value: unknown): boolean {
  const { version, entityCount, builtAt, indexFile, indexSum } = (value ?? {}) as Partial<PreviousVersion>;
  return (
    typeof version === 'string' &&
    Number.isSafeInteger(entityCount) &&
    !Number.isNaN(Date.parse(String(builtAt))) &&
    isIndexFile(String(indexFile)) &&
    isSum(indexSum)
  );
}

function isSum(value: unknown): boolean {
  const { bytes, sha256 } = (value ?? {}) as Partial<Record<keyof FileSum, unknown>>;
  return Number.isSafeInteger(bytes) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
}

function isSync(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { files, openSanctions, checkedAt } = value as Record<string, unknown>;
  const indexUrl = (openSanctions as { indexUrl?: unknown } | undefined)?.indexUrl;
  const soundFiles = Array.isArray(files) && files.every((file) => FILE_ROLES.includes(file?.role) && isUrl(file.url));
  const hasAddress = openSanctions === undefined ? soundFiles && files.length > 0 : isUrl(indexUrl);
  return soundFiles && hasAddress && !Number.isNaN(Date.parse(String(checkedAt)));
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value);
}
