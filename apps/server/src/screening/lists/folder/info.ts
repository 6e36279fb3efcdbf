// The content of dataset.json, which describes a list on disk.
import { LIST_FORMATS, type ListFormat, type LoadReport, type ScreeningIndex } from '@limen/screening';
import type { FileSum } from '../../../platform/files/durable.ts';
import { isDatasetName } from './names.ts';

export interface DatasetInfo {
  name: string;
  format: ListFormat;
  /** Address, or the bare file name of a list that was added from a file. */
  source: string;
  /** Version of the publisher if known, else the time of loading. */
  version: string;
  entityCount: number;
  people: number;
  sanctions: number;
  peps: number;
  builtAt: string;
  indexFile: string;
  indexSum: FileSum;
  bytes: number;
  problemCount: number;
  /** LOADER_VERSION; absent for a list that was stored before loaders had versions */
  loader?: number;
  /** Version before this one, whose index file is kept for comparisons */
  previous?: PreviousVersion;
  /** Facts for the next refresh; absent for a list that was added from a file */
  sync?: DatasetSync;
}

export interface BuildSummary {
  index: ScreeningIndex;
  report: LoadReport;
  counts: { people: number; sanctions: number; peps: number };
}

export type PreviousVersion = Pick<DatasetInfo, 'version' | 'entityCount' | 'builtAt' | 'indexFile' | 'indexSum'>;

export interface DatasetSync {
  /** Time of the last check with the publisher, in ISO 8601 */
  checkedAt: string;
  /** Set if the operator's address was private when it was added; an address that becomes private later is refused. */
  allowPrivate?: boolean;
  files: SyncedFile[];
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

export function parseDatasetInfo(text: string): DatasetInfo | undefined {
  let info: Partial<Record<keyof DatasetInfo, unknown>> | null;
  try {
    info = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof info !== 'object' || info === null) return undefined;
  const strings = [info.name, info.source, info.builtAt, info.indexFile];
  const numbers = [info.entityCount, info.people, info.sanctions, info.peps, info.bytes, info.problemCount];
  const isSound =
    strings.every((text) => typeof text === 'string') &&
    numbers.every((number) => Number.isSafeInteger(number) && (number as number) >= 0) &&
    isDatasetName(info.name as string) &&
    (LIST_FORMATS as readonly unknown[]).includes(info.format) &&
    isVersion(info) &&
    (info.loader === undefined || Number.isSafeInteger(info.loader)) &&
    (info.previous === undefined || isVersion(info.previous)) &&
    (info.sync === undefined || isSync(info.sync));
  return isSound ? (info as DatasetInfo) : undefined;
}

/** Refuses paths, because the name is joined to the folder. */
export function isIndexFile(name: string): boolean {
  return /^index-[a-z0-9-]{1,64}\.bin$/.test(name);
}

function isVersion(value: unknown): boolean {
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
