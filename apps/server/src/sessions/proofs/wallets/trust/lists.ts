// Lists of trusted authorities (DATA_DIR/trust/lists/NAME.json), their sync and its daily job.
import { readFile, rm } from 'node:fs/promises';
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
import { type Outbound, readBytes } from '../../../../platform/outbound/guarded-fetch.ts';
import { createListOutbound, type ListOutbound } from '../../../../platform/outbound/lists.ts';
import { MAX_TRUST_LIST_BYTES } from '../../../limits.ts';
import { listNames, type TrustFolder, writeWhole } from './folder.ts';

export interface TrustListTools {
  folder: TrustFolder;
  store: TrustListStore;
  outbound: ListOutbound;
  clock: Clock;
  /** Called before the first change, and not for a list that cannot be fetched or verified. */
  record?: () => Promise<void>;
}

export type SyncedTrustList = Awaited<ReturnType<typeof load>>;

/** Throws `TrustListError` or `OutboundError`; then nothing has changed. */
export async function addTrustList(source: TrustListSource, tools: TrustListTools, signal?: AbortSignal) {
  if ((await tools.store.read()).lists.some(({ name }) => name === source.name)) {
    throw new TrustListError(`There is a list ${source.name} already; remove it first: limen trust remove-list`);
  }
  const { outbound, allowPrivate } = await tools.outbound.startingAt(source.url);
  return load({ ...source, allowPrivate, without: [] }, outbound, tools, signal);
}

export function syncTrustList(list: TrustList, tools: TrustListTools, signal: AbortSignal) {
  return load(list, tools.outbound.asBefore(list.allowPrivate).outbound, tools, signal);
}

type LoadableTrustList = Omit<TrustList, 'checkedAt' | 'issuedAt' | 'nextUpdate'> & { issuedAt?: string };

async function load(
  list: LoadableTrustList,
  outbound: Outbound,
  { folder, store, clock, record }: TrustListTools,
  signal: AbortSignal | undefined,
) {
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
  const before = (await folder.read()).kept
    .filter((kept) => kept.list === list.name && kept.anchor.profile === list.profile)
    .map(({ anchor }) => anchor);
  const added = listMissing(anchors, before);
  const gone = listMissing(before, anchors);
  await record?.();
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

/** Read again, because an operator may have excluded one or removed the list during the fetch. */
async function readWithout(list: LoadableTrustList, store: TrustListStore): Promise<readonly string[]> {
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
    return readBytes(reply, MAX_TRUST_LIST_BYTES);
  });
}

async function importList(bytes: Uint8Array, list: LoadableTrustList, now: Date): Promise<ImportedList> {
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

function listMissing(anchors: readonly TrustAnchor[], known: readonly TrustAnchor[]): TrustAnchor[] {
  const fingerprints = new Set(known.map((anchor) => describeAnchor(anchor).fingerprint));
  return anchors.filter((anchor) => !fingerprints.has(describeAnchor(anchor).fingerprint));
}

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
  provider: string;
  /** Service types that replace those of the profile; for `eu_trusted_list` only */
  serviceTypes?: readonly string[];
}

export interface TrustList extends TrustListSource {
  /** Whether the address was in a private network when the operator chose it */
  allowPrivate: boolean;
  /** Fingerprints of listed authorities that the operator does not trust */
  without: readonly string[];
  checkedAt: string;
  issuedAt: string;
  nextUpdate: string | null;
}

class TrustListError extends Error {
  override readonly name = 'TrustListError';
}

export function requireListName(name: string): void {
  if (/^[a-z0-9_]{1,64}$/.test(name)) return;
  throw new TrustListError('The name of a list has 1 to 64 of these characters: a to z, 0 to 9, _ (such as us_aamva).');
}

export const USUAL_FORMATS: Readonly<Record<ProfileId, TrustListFormat>> = { eu_age: 'eu_trusted_list', mdl: 'vical' };

function parseTrustList(text: string): TrustList | undefined {
  try {
    const read = JSON.parse(text) as Partial<TrustList> | null;
    const isList =
      (['name', 'url', 'provider', 'checkedAt', 'issuedAt'] as const).every((key) => typeof read?.[key] === 'string') &&
      isProfileId(read?.profile) &&
      TRUST_LIST_FORMATS.some((format) => format === read?.format) &&
      typeof read?.allowPrivate === 'boolean' &&
      Array.isArray(read.without);
    return isList ? (read as TrustList) : undefined;
  } catch {
    return undefined;
  }
}

/** `providerAt`: address of the provider's signing certificate. */
export const KNOWN_TRUST_LISTS: readonly (Omit<TrustListSource, 'provider'> & { title: string; providerAt: string })[] =
  [
    {
      name: 'us_aamva',
      title: 'North America: issuing authorities of mobile driving licenses (AAMVA Digital Trust Service)',
      profile: 'mdl',
      format: 'vical',
      url: 'https://vical.dts.aamva.org/vical/vc',
      providerAt: 'https://vical.dts.aamva.org/certificates/ca',
    },
  ];

export function createTrustListStore(dataDir: string) {
  const folder = join(dataDir, 'trust', 'lists');
  const pathOf = (name: string) => join(folder, `${name}.json`);
  return {
    async read() {
      const lists: TrustList[] = [];
      const problems: { file: string; sentence: string }[] = [];
      for (const file of await listNames(folder, /^[a-z0-9_]+\.json$/)) {
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
        log.warn(
          { list: list.name, reason: describeReason(error) },
          'a list of trusted authorities could not be refreshed',
        );
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    allWell = false;
    log.warn({ reason: describeReason(error) }, 'the lists of trusted authorities could not be read');
  } finally {
    await outbound.close();
  }
  return allWell;
}

/** Logs unexpected errors by name and code only. */
function describeReason(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  return sentenceOfTrust(error) ?? [name, code].filter(Boolean).join(' ');
}
