// Lists of trusted authorities: known ones, their files (DATA_DIR/trust/lists/NAME.json), their sync and its daily job.

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AnchorError,
  describeAnchor,
  type ImportedList,
  importTrustedList,
  importVical,
  isProfileId,
  type ProfileId,
  readAnchors,
  type TrustAnchor,
} from '@limen/wallet';
import type { Logger } from 'pino';
import { isDue, type Refreshing, type RefreshTuning, startRefreshing } from '../../../../platform/async/refreshing.ts';
import type { Clock } from '../../../../platform/base/clock.ts';
import { OutboundError, withoutQuery } from '../../../../platform/outbound/error.ts';
import type { Outbound } from '../../../../platform/outbound/guarded-fetch.ts';
import { createListOutbound, type ListOutbound } from '../../../../platform/outbound/lists.ts';
import { MAX_TRUST_LIST_BYTES } from '../../../limits.ts';
import { type TrustFolder, writeWhole } from './folder.ts';

export interface TrustListTools {
  folder: TrustFolder;
  store: TrustListStore;
  outbound: ListOutbound;
  clock: Clock;
}

export interface SyncedTrustList {
  list: TrustList;
  anchors: number;
  /** Authorities that are trusted from now on, and those that are no longer. */
  added: readonly TrustAnchor[];
  gone: readonly TrustAnchor[];
  /** Entries that cannot be anchors or have expired. */
  skipped: number;
}

/** Throws `TrustListError` or `OutboundError`; then nothing has changed. */
export async function addTrustList(
  source: TrustListSource,
  tools: TrustListTools,
  signal?: AbortSignal,
): Promise<SyncedTrustList> {
  if ((await tools.store.read()).lists.some(({ name }) => name === source.name)) {
    throw new TrustListError(`There is a list ${source.name} already; remove it first: limen trust remove-list`);
  }
  const { outbound, allowPrivate } = await tools.outbound.startingAt(source.url);
  return load({ ...source, allowPrivate, without: [] }, outbound, tools, signal);
}

export async function syncTrustList(
  list: TrustList,
  tools: TrustListTools,
  signal?: AbortSignal,
): Promise<SyncedTrustList> {
  return load(list, tools.outbound.asBefore(list.allowPrivate).outbound, tools, signal);
}

type Loadable = Omit<TrustList, 'checkedAt' | 'issuedAt' | 'nextUpdate'> & { issuedAt?: string };

async function load(
  list: Loadable,
  outbound: Outbound,
  { folder, store, clock }: TrustListTools,
  signal: AbortSignal | undefined,
): Promise<SyncedTrustList> {
  const now = new Date(clock.now());
  const read = await importList(await fetchList(list.url, outbound, signal), list, now);
  if (list.issuedAt !== undefined && read.issuedAt < new Date(list.issuedAt)) {
    throw new TrustListError('The list is older than the one that is there, which stays.');
  }
  const without = await readWithout(list, store);
  const wanted = read.anchors.filter(({ certificate }) => certificate.notAfter > now);
  const anchors = wanted.filter((anchor) => !without.includes(describeAnchor(anchor).fingerprint));
  if (wanted.length === 0) {
    throw new TrustListError(`The list has no authority for ${list.profile}; what is there stays.`);
  }
  const before = (await folder.read()).kept.filter(
    (one) => one.list === list.name && one.anchor.profile === list.profile,
  );
  const [added, gone] = compare(
    before.map(({ anchor }) => anchor),
    anchors,
  );
  if (added.length + gone.length > 0) await folder.replaceList(list.name, list.profile, anchors);
  const loaded: TrustList = {
    ...list,
    without,
    checkedAt: now.toISOString(),
    issuedAt: read.issuedAt.toISOString(),
    nextUpdate: read.nextUpdate?.toISOString() ?? null,
  };
  await store.write(loaded);
  const skipped = read.skipped + read.anchors.length - wanted.length;
  return { list: loaded, anchors: anchors.length, added, gone, skipped };
}

/**
 * Returns the removed authorities as stored now. An operator may have removed an authority or the
 * list during the fetch. Throws TrustListError if the list is gone.
 */
async function readWithout(list: Loadable, store: TrustListStore): Promise<readonly string[]> {
  const isNew = list.issuedAt === undefined;
  const current = (await store.read()).lists.find(({ name }) => name === list.name);
  if (!current && !isNew) throw new TrustListError('The list was removed while it was loading.');
  return current?.without ?? list.without;
}

async function fetchList(url: string, outbound: Outbound, signal: AbortSignal | undefined): Promise<Uint8Array> {
  return outbound.get(url, { ...(signal && { signal }) }, async (reply) => {
    if (reply.status !== 200) {
      throw new TrustListError(`${withoutQuery(url)} answered ${reply.status}; what is there stays.`);
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of reply.body(MAX_TRUST_LIST_BYTES)) chunks.push(chunk);
    return Buffer.concat(chunks);
  });
}

async function importList(bytes: Uint8Array, list: Loadable, now: Date): Promise<ImportedList> {
  const { profile, format, provider, serviceTypes } = list;
  try {
    if (format === 'vical') {
      return await importVical(bytes, { profile, providers: await readAnchors(provider, profile), now });
    }
    return await importTrustedList(bytes, { profile, signers: provider, now, ...(serviceTypes && { serviceTypes }) });
  } catch (error) {
    if (error instanceof AnchorError) throw new TrustListError(`${error.message} What is there stays.`);
    throw error;
  }
}

function compare(before: readonly TrustAnchor[], after: readonly TrustAnchor[]): [TrustAnchor[], TrustAnchor[]] {
  const missingIn = (others: readonly TrustAnchor[]) => {
    const known = new Set(others.map((anchor) => describeAnchor(anchor).fingerprint));
    return (anchor: TrustAnchor) => !known.has(describeAnchor(anchor).fingerprint);
  };
  return [after.filter(missingIn(before)), before.filter(missingIn(after))];
}

/** Undefined when the error has no sentence that may be shown or logged. */
export function sentenceOfTrust(error: unknown): string | undefined {
  return error instanceof TrustListError || error instanceof OutboundError ? error.message : undefined;
}

export const TRUST_LIST_FORMATS = ['vical', 'eu_trusted_list'] as const;
export type TrustListFormat = (typeof TRUST_LIST_FORMATS)[number];

export interface TrustListSource {
  name: string;
  profile: ProfileId;
  format: TrustListFormat;
  url: string;
  /** PEM: whom the list must be signed by. */
  provider: string;
  /** Service types that count, in place of the profile's own; for `eu_trusted_list` only. */
  serviceTypes?: readonly string[];
}

export interface TrustList extends TrustListSource {
  /** Whether the address was in a private network when the operator chose it. */
  allowPrivate: boolean;
  /** Fingerprints of authorities that the operator does not trust, even if the list has them. */
  without: readonly string[];
  /** When it was last fetched and found good. */
  checkedAt: string;
  issuedAt: string;
  nextUpdate: string | null;
}

/** A problem with a list; the message is a sentence for the operator. */
class TrustListError extends Error {
  override readonly name = 'TrustListError';
}

/** A name is a part of file names. */
export function requireListName(name: string): void {
  if (/^[a-z0-9_]{1,64}$/.test(name)) return;
  throw new TrustListError('The name of a list has 1 to 64 of these characters: a to z, 0 to 9, _ (such as us_aamva).');
}

/** How lists of a profile are written, where nothing else is said. */
export const USUAL_FORMATS: Readonly<Record<ProfileId, TrustListFormat>> = { eu_age: 'eu_trusted_list', mdl: 'vical' };

/** Undefined for what is none, or not one of this version. */
function parseTrustList(text: string): TrustList | undefined {
  try {
    const read = JSON.parse(text) as Partial<TrustList> | null;
    const texts = [read?.name, read?.url, read?.provider, read?.checkedAt, read?.issuedAt];
    const isList =
      texts.every((one) => typeof one === 'string') &&
      isProfileId(read?.profile) &&
      TRUST_LIST_FORMATS.some((format) => format === read?.format) &&
      typeof read?.allowPrivate === 'boolean' &&
      Array.isArray(read.without);
    return isList ? (read as TrustList) : undefined;
  } catch {
    return undefined;
  }
}

export interface KnownTrustList extends Pick<TrustListSource, 'name' | 'profile' | 'format' | 'url'> {
  title: string;
  /** Place where the provider of the list names its signing certificate. */
  providerAt: string;
}

export const KNOWN_TRUST_LISTS: readonly KnownTrustList[] = [
  {
    name: 'us_aamva',
    title: 'North America: issuing authorities of mobile driving licences (AAMVA Digital Trust Service)',
    profile: 'mdl',
    format: 'vical',
    url: 'https://vical.dts.aamva.org/vical/vc',
    providerAt: 'https://vical.dts.aamva.org/certificates/ca',
  },
];

const FILE = /^[a-z0-9_]+\.json$/;

export function createTrustListStore(dataDir: string) {
  const folder = join(dataDir, 'trust', 'lists');
  const pathOf = (name: string) => join(folder, `${name}.json`);
  return {
    async read() {
      const names = (await readdir(folder).catch(nothingThere)).filter((name) => FILE.test(name)).sort();
      const lists: TrustList[] = [];
      const problems: { file: string; sentence: string }[] = [];
      for (const file of names) {
        const list = parseTrustList(await readFile(join(folder, file), 'utf8').catch(() => ''));
        if (list && file === `${list.name}.json`) lists.push(list);
        else problems.push({ file: join('lists', file), sentence: 'The file does not describe a list.' });
      }
      return { lists, problems };
    },
    write: (list: TrustList) => writeWhole(pathOf(list.name), `${JSON.stringify(list, null, 2)}\n`),
    remove: (name: string) => rm(pathOf(name), { force: true }),
  };
}

type TrustListStore = ReturnType<typeof createTrustListStore>;

function nothingThere(error: unknown): string[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}

export const REFRESH_HOURS = 24;

interface RefreshOptions extends RefreshTuning {
  folder: TrustFolder;
  store: TrustListStore;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
}

export function startTrustRefresh(options: RefreshOptions): Refreshing {
  return startRefreshing(REFRESH_HOURS, (signal) => refreshDue(options, signal), options);
}

/** Whether every list that was due could be read. */
async function refreshDue({ folder, store, clock, log }: RefreshOptions, signal: AbortSignal): Promise<boolean> {
  const outbound = createListOutbound();
  let allWell = true;
  try {
    const { lists } = await store.read();
    for (const list of lists.filter(({ checkedAt }) => isDue(checkedAt, REFRESH_HOURS, clock.now()))) {
      signal.throwIfAborted();
      try {
        const { anchors, added, gone } = await syncTrustList(list, { folder, store, outbound, clock }, signal);
        const fields = { list: list.name, anchors, added: added.length, gone: gone.length };
        log.info(fields, 'a list of trusted authorities was refreshed');
      } catch (error) {
        signal.throwIfAborted();
        allWell = false;
        log.warn({ list: list.name, reason: reasonOf(error) }, 'a list of trusted authorities could not be refreshed');
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    allWell = false;
    log.warn({ reason: reasonOf(error) }, 'the lists of trusted authorities could not be read');
  } finally {
    await outbound.close();
  }
  return allWell;
}

/** An error that has no sentence of ours is reported by class and code only. */
function reasonOf(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  return sentenceOfTrust(error) ?? [name, code].filter(Boolean).join(' ');
}
