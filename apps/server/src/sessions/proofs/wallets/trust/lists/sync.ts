// Fetches a list of authorities, believes it where its provider signed it, and puts its anchors in the place of the old ones.
import {
  AnchorError,
  describeAnchor,
  type ImportedList,
  importTrustedList,
  importVical,
  readAnchors,
  type TrustAnchor,
} from '@limen/wallet';
import type { Clock } from '../../../../../platform/base/clock.ts';
import { OutboundError, withoutQuery } from '../../../../../platform/outbound/error.ts';
import type { Outbound } from '../../../../../platform/outbound/guarded-fetch.ts';
import type { ListOutbound } from '../../../../../platform/outbound/lists.ts';
import type { TrustFolder } from '../folder.ts';
import { type TrustList, TrustListError, type TrustListSource } from './list.ts';
import type { TrustListStore } from './store.ts';

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

const MAX_BYTES = 32 * 2 ** 20;

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

/** As it is by now: fetching takes a while, and somebody may have removed an authority or the list. */
async function readWithout(list: Loadable, store: TrustListStore): Promise<readonly string[]> {
  const isNew = list.issuedAt === undefined;
  const current = (await store.read()).lists.find(({ name }) => name === list.name);
  if (!current && !isNew) throw new TrustListError('The list was removed meanwhile.');
  return current?.without ?? list.without;
}

async function fetchList(url: string, outbound: Outbound, signal: AbortSignal | undefined): Promise<Uint8Array> {
  return outbound.get(url, { ...(signal && { signal }) }, async (reply) => {
    if (reply.status !== 200) {
      throw new TrustListError(`${withoutQuery(url)} answered ${reply.status}; what is there stays.`);
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of reply.body(MAX_BYTES)) chunks.push(chunk);
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
