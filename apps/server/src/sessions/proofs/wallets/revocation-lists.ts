// The lists of certificates that authorities revoked (CRLs): fetched where a certificate names one, and kept while they are in force; or
// put into the trust folder by the operator.

import { setTimeout } from 'node:timers/promises';
import {
  checkRevocation,
  MAX_CRL_BYTES,
  openRevocationList,
  type ProfileId,
  type RefusalCode,
  type RevocationList,
  type RevocationReference,
  type TrustAnchor,
} from '@limen/wallet';
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/base/clock.ts';
import { createOutbound, type Outbound } from '../../../platform/outbound/guarded-fetch.ts';
import type { KeptCrl } from './trust/folder.ts';

/** Why an answer is refused: by a check of the verifier, or because a list that says whether it holds could not be fetched. */
export type WalletFault = RefusalCode | 'status_unavailable' | 'crl_unavailable';

/** What is taken of an issuer whose list cannot be had: nothing, or what it signed; or whether lists are looked for at all. */
export type RevocationChecks = 'required' | 'optional' | 'off';

interface RevocationListsOptions {
  checks: RevocationChecks;
  clock: Clock;
  outbound: Outbound;
  /** Files of the operator. They count as fetched ones do, and are the same objects while they stay the same. */
  filed: (profile: ProfileId) => Promise<readonly KeptCrl[]>;
  log: Pick<Logger, 'warn'>;
  wait?: Wait;
}

interface Believed {
  list: RevocationList;
  bytes: number;
}

type Opened = Believed | { fault: WalletFault };

type Trust = { profile: ProfileId; anchors: readonly TrustAnchor[] };

/** Where a list may be, and whose it must be. */
interface Place {
  key: string;
  address: string;
  reference: RevocationReference;
  trust: Trust;
}

interface Look {
  opened: Promise<Opened>;
  /** Over when those who have a list in force wait no longer. */
  patience: Promise<void>;
}

interface Kept extends Believed {
  /** From then on it is looked for again, though it may be in force for months. */
  lookAgainAt: number;
}

const LOOK_AGAIN_MS = 60 * 60_000;
/** After a failure: not everybody is to wait for a dead server. */
const RETRY_MS = 15_000;
/** For a newer list than the one that is in force. */
const PATIENCE_MS = 1_000;
/** Only certificates that an anchor vouches for name addresses. */
const MAX_FAILED = 256;
const MAX_KEPT_BYTES = 8 * MAX_CRL_BYTES;
const ACCEPT = 'application/pkix-crl, application/x-pkcs7-crl;q=0.9, */*;q=0.1';

export function createRevocationLists(options: RevocationListsOptions) {
  const { checks, clock, outbound, filed, log, wait = waitUnheld } = options;
  const kept = createKeptLists<Kept>(MAX_KEPT_BYTES);
  const openedFiles = new WeakMap<KeptCrl, Map<string, Believed>>();
  const failed = new Map<string, { fault: WalletFault; until: number }>();
  const underWay = new Map<string, Look>();
  const counts = new Map<string, number>();
  const fetchList = createListFetch({ outbound, accept: ACCEPT, maxBytes: MAX_CRL_BYTES });

  return {
    /** Undefined where all of them hold, else why one does not. */
    async check(
      references: readonly RevocationReference[],
      profile: ProfileId,
      anchors: readonly TrustAnchor[],
      budget: ProofBudget,
    ) {
      if (checks === 'off') return undefined;
      const faults = await Promise.all(references.map((one) => checkOne(one, { profile, anchors }, budget)));
      return faults.find((fault) => fault === 'certificate_revoked' || (fault !== undefined && checks === 'required'));
    },
    /** Since the start: lists that were fetched, by what became of them. */
    counts: () => counts,
  };

  /** Any address will do that has a list which is believed. */
  async function checkOne(
    reference: RevocationReference,
    trust: Trust,
    budget: ProofBudget,
  ): Promise<WalletFault | undefined> {
    const places = reference.addresses.map((address) => placeOf(address, reference, trust));
    const usable = places.flatMap((place) => findKept(place) ?? []);
    const before = newestOf<Believed>([...usable, ...(await findFiled(reference, trust))]);
    const found = usable.some(({ lookAgainAt }) => lookAgainAt > clock.now())
      ? before
      : await look(places, before, budget);
    if (!found) return 'crl_unavailable';
    if ('fault' in found) return found.fault;
    const verdict = checkRevocation(found.list, reference, { ...trust, now: new Date(clock.now()) });
    return verdict.ok ? undefined : verdict.refusal;
  }

  /** What is kept serves those for whom a new list would take too long. */
  async function look(
    places: readonly Place[],
    before: Believed | undefined,
    budget: ProofBudget,
  ): Promise<Opened | undefined> {
    const looks = places.map(refresh);
    const opened = firstBelieved(looks.map((one) => one.opened));
    const after = await Promise.race([opened, ...(before ? looks.map((one) => one.patience) : [budget()])]);
    if (!before) return after ?? undefined;
    return after && 'list' in after ? newestOf<Believed>([before, after]) : before;
  }

  /** Once for everybody who comes meanwhile. */
  function refresh(place: Place): Look {
    const { key } = place;
    const begun = underWay.get(key);
    if (begun) return begun;
    const failure = failed.get(key);
    if (failure && failure.until > clock.now()) {
      return { opened: Promise.resolve(failure), patience: new Promise(() => {}) };
    }
    const opened = open(place).finally(() => underWay.delete(key));
    const look = { opened, patience: wait(PATIENCE_MS) };
    underWay.set(key, look);
    return look;
  }

  async function open(place: Place): Promise<Opened> {
    const { key } = place;
    const fetched = await fetchAndRead(place).catch(() => ({ fault: 'crl_unavailable' as const }));
    count('fault' in fetched ? fetched.fault : 'believed');
    if ('fault' in fetched) {
      log.warn({ fault: fetched.fault }, 'a list of revoked certificates cannot be used');
      if (failed.size >= MAX_FAILED) failed.clear();
      failed.set(key, { fault: fetched.fault, until: clock.now() + RETRY_MS });
      return fetched;
    }
    failed.delete(key);
    // By http anybody on the way can send an older one that is still in force.
    const newest = newestOf([findKept(place), fetched].filter((one) => one !== undefined)) ?? fetched;
    const { list, bytes } = newest;
    kept.keep(key, { list, bytes, lookAgainAt: clock.now() + LOOK_AGAIN_MS }, bytes);
    return newest;
  }

  async function fetchAndRead({ address, reference, trust }: Place): Promise<Opened> {
    const { bytes } = await fetchList(address);
    const opened = await openRevocationList(bytes, reference, { ...trust, now: new Date(clock.now()) });
    return opened.ok ? { list: opened.list, bytes: bytes.length } : { fault: opened.refusal };
  }

  /** While it is in force, and its signer is trusted. */
  function findKept({ key, reference, trust }: Place): Kept | undefined {
    const found = kept.find(key);
    return found && isBelieved(found, reference, trust) ? found : undefined;
  }

  async function findFiled(reference: RevocationReference, trust: Trust): Promise<Believed[]> {
    const { issuer } = reference.certificate;
    const ofIssuer = (await filed(trust.profile)).filter(({ description }) => description.issuer === issuer);
    const opened = await Promise.all(ofIssuer.map((one) => openFile(one, reference, trust)));
    return opened.flatMap((one) => (one && isBelieved(one, reference, trust) ? [one] : []));
  }

  /** Its signature is verified once for all certificates that say the same of where they would be listed. */
  async function openFile(one: KeptCrl, reference: RevocationReference, trust: Trust): Promise<Believed | undefined> {
    const opened = openedFiles.get(one) ?? new Map<string, Believed>();
    const key = JSON.stringify([reference.authority.digest, reference.addresses]);
    const before = opened.get(key);
    if (before) return before;
    const verdict = await openRevocationList(one.bytes, reference, { ...trust, now: new Date(clock.now()) });
    if (!verdict.ok) return undefined;
    const believed = { list: verdict.list, bytes: one.bytes.length };
    openedFiles.set(one, opened.set(key, believed));
    return believed;
  }

  function isBelieved({ list }: Believed, reference: RevocationReference, trust: Trust): boolean {
    const verdict = checkRevocation(list, reference, { ...trust, now: new Date(clock.now()) });
    return verdict.ok || verdict.refusal === 'certificate_revoked';
  }

  function count(outcome: string): void {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
}

export type RevocationLists = ReturnType<typeof createRevocationLists>;

/** An authority that names the address of another has a place of its own, and does it no harm. */
function placeOf(address: string, reference: RevocationReference, trust: Trust): Place {
  const { certificate, authority } = reference;
  const key = JSON.stringify([address, trust.profile, certificate.issuer, authority.digest]);
  return { key, address, reference, trust };
}

function newestOf<One extends Believed>(lists: readonly One[]): One | undefined {
  return lists.toSorted((one, other) => other.list.thisUpdate.getTime() - one.list.thisUpdate.getTime())[0];
}

/** Where none is believed, what is wrong with the last. */
function firstBelieved(all: readonly Promise<Opened>[]): Promise<Opened | undefined> {
  const believed = all.map(async (opening) => {
    const opened = await opening;
    if ('fault' in opened) throw new Error(opened.fault);
    return opened;
  });
  return Promise.any(believed).catch(async () => (await Promise.all(all)).at(-1));
}

interface FetchedList {
  bytes: Buffer;
  type: string;
}

interface ListFetchOptions {
  outbound: Outbound;
  accept: string;
  maxBytes: number;
}

const PATIENCE = {
  maxConcurrent: 8,
  headersTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
  totalTimeoutMs: 10_000,
  maxRedirects: 2,
};

/**
 * Creates the client for lists of issuers. Attestations and certificates name the addresses, so
 * private networks are refused by default.
 */
export function createIssuerOutbound({ allowPrivate = false } = {}): Outbound {
  return createOutbound({ ...PATIENCE, allowPrivate });
}

/** Everybody who comes while a list is under way waits for the same. Fails where it cannot be had. */
export function createListFetch({
  outbound,
  accept,
  maxBytes,
}: ListFetchOptions): (uri: string) => Promise<FetchedList> {
  const underWay = new Map<string, Promise<FetchedList>>();

  return (uri) => {
    const begun = underWay.get(uri);
    if (begun !== undefined) return begun;
    const fetching = fetchList(uri).finally(() => underWay.delete(uri));
    underWay.set(uri, fetching);
    return fetching;
  };

  function fetchList(uri: string): Promise<FetchedList> {
    return outbound.get(uri, { headers: { accept } }, async (reply) => {
      if (reply.status !== 200) throw new Error(`list answered ${reply.status}`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of reply.body(maxBytes)) chunks.push(chunk);
      return { bytes: Buffer.concat(chunks), type: reply.header('content-type') ?? '' };
    });
  }
}

interface KeptLists<One> {
  find(key: string): One | undefined;
  /** In place of what was there before. `bytes` is what it takes in memory. */
  keep(key: string, one: One, bytes: number): void;
}

export function createKeptLists<One>(maxBytes: number): KeptLists<One> {
  const kept = new Map<string, { one: One; bytes: number }>();
  let total = 0;

  function drop(key: string): void {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  return {
    find: (key) => kept.get(key)?.one,

    keep(key, one, bytes) {
      drop(key);
      kept.set(key, { one, bytes });
      total += bytes;
      for (const oldest of kept.keys()) {
        if (total <= maxBytes) return;
        drop(oldest);
      }
    },
  };
}

/** Over when nothing more is waited for. It begins with the first who waits. */
export type ProofBudget = () => Promise<void>;

export type Wait = (ms: number) => Promise<void>;

const BUDGET_MS = 10_000;

export function createProofBudget(wait: Wait): ProofBudget {
  let budget: Promise<void> | undefined;
  return () => {
    budget ??= wait(BUDGET_MS);
    return budget;
  };
}

/** Keeps no process from ending. */
export const waitUnheld: Wait = (ms) => setTimeout(ms, undefined, { ref: false });
