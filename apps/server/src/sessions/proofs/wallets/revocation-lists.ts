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

interface RevocationListParts {
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

type OpenedCrl = Believed | { fault: WalletFault };

type Trust = { profile: ProfileId; anchors: readonly TrustAnchor[] };

/** Where a list may be, and whose it must be. */
interface CrlPlace {
  key: string;
  address: string;
  reference: RevocationReference;
  trust: Trust;
}

interface CrlLook {
  opened: Promise<OpenedCrl>;
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

export class RevocationLists {
  readonly #parts: RevocationListParts;
  readonly #wait: Wait;
  readonly #fetchList: (uri: string) => Promise<FetchedList>;
  readonly #kept = new KeptLists<Kept>(MAX_KEPT_BYTES);
  readonly #openedFiles = new WeakMap<KeptCrl, Map<string, Believed>>();
  readonly #failed = new Map<string, { fault: WalletFault; until: number }>();
  readonly #underWay = new Map<string, CrlLook>();
  /** Lists that were fetched since the start, by what became of them. */
  readonly counts = new Map<string, number>();

  constructor(parts: RevocationListParts) {
    this.#parts = parts;
    this.#wait = parts.wait ?? waitUnheld;
    this.#fetchList = createListFetch(parts.outbound, ACCEPT, MAX_CRL_BYTES);
  }

  /** Returns undefined if all of them hold, else why one does not. */
  async check(
    references: readonly RevocationReference[],
    profile: ProfileId,
    anchors: readonly TrustAnchor[],
    budget: ProofBudget,
  ) {
    const { checks } = this.#parts;
    if (checks === 'off') return undefined;
    const faults = await Promise.all(references.map((one) => this.#checkOne(one, { profile, anchors }, budget)));
    return faults.find((fault) => fault === 'certificate_revoked' || (fault !== undefined && checks === 'required'));
  }

  /** Any address will do that has a list which is believed. */
  async #checkOne(reference: RevocationReference, trust: Trust, budget: ProofBudget): Promise<WalletFault | undefined> {
    const places = reference.addresses.map((address) => placeOf(address, reference, trust));
    const usable = places.flatMap((place) => this.#findKept(place) ?? []);
    const before = newestOf<Believed>([...usable, ...(await this.#findFiled(reference, trust))]);
    const found = usable.some(({ lookAgainAt }) => lookAgainAt > this.#parts.clock.now())
      ? before
      : await this.#look(places, before, budget);
    if (!found) return 'crl_unavailable';
    if ('fault' in found) return found.fault;
    const verdict = checkRevocation(found.list, reference, this.#at(trust));
    return verdict.ok ? undefined : verdict.refusal;
  }

  /** What is kept serves those for whom a new list would take too long. */
  async #look(
    places: readonly CrlPlace[],
    before: Believed | undefined,
    budget: ProofBudget,
  ): Promise<OpenedCrl | undefined> {
    const looks = places.map((place) => this.#refresh(place));
    const opened = firstBelieved(looks.map((one) => one.opened));
    const after = await Promise.race([opened, ...(before ? looks.map((one) => one.patience) : [budget()])]);
    if (!before) return after ?? undefined;
    return after && 'list' in after ? newestOf<Believed>([before, after]) : before;
  }

  /** Once for everybody who comes meanwhile. */
  #refresh(place: CrlPlace): CrlLook {
    const { key } = place;
    const begun = this.#underWay.get(key);
    if (begun) return begun;
    const failure = this.#failed.get(key);
    if (failure && failure.until > this.#parts.clock.now()) {
      return { opened: Promise.resolve(failure), patience: new Promise(() => {}) };
    }
    const opened = this.#open(place).finally(() => this.#underWay.delete(key));
    const look = { opened, patience: this.#wait(PATIENCE_MS) };
    this.#underWay.set(key, look);
    return look;
  }

  async #open(place: CrlPlace): Promise<OpenedCrl> {
    const { key } = place;
    const fetched = await this.#fetchAndRead(place).catch(() => ({ fault: 'crl_unavailable' as const }));
    this.#count('fault' in fetched ? fetched.fault : 'believed');
    if ('fault' in fetched) {
      this.#parts.log.warn({ fault: fetched.fault }, 'a list of revoked certificates cannot be used');
      if (this.#failed.size >= MAX_FAILED) this.#failed.clear();
      this.#failed.set(key, { fault: fetched.fault, until: this.#parts.clock.now() + RETRY_MS });
      return fetched;
    }
    this.#failed.delete(key);
    // By http anybody on the way can send an older one that is still in force.
    const newest = newestOf([this.#findKept(place), fetched].filter((one) => one !== undefined)) ?? fetched;
    const { list, bytes } = newest;
    this.#kept.keep(key, { list, bytes, lookAgainAt: this.#parts.clock.now() + LOOK_AGAIN_MS }, bytes);
    return newest;
  }

  async #fetchAndRead({ address, reference, trust }: CrlPlace): Promise<OpenedCrl> {
    const { bytes } = await this.#fetchList(address);
    const opened = await openRevocationList(bytes, reference, this.#at(trust));
    return opened.ok ? { list: opened.list, bytes: bytes.length } : { fault: opened.refusal };
  }

  /** While it is in force, and its signer is trusted. */
  #findKept({ key, reference, trust }: CrlPlace): Kept | undefined {
    const found = this.#kept.find(key);
    return found && this.#isBelieved(found, reference, trust) ? found : undefined;
  }

  async #findFiled(reference: RevocationReference, trust: Trust): Promise<Believed[]> {
    const { issuer } = reference.certificate;
    const ofIssuer = (await this.#parts.filed(trust.profile)).filter(
      ({ description }) => description.issuer === issuer,
    );
    const opened = await Promise.all(ofIssuer.map((one) => this.#openFile(one, reference, trust)));
    return opened.flatMap((one) => (one && this.#isBelieved(one, reference, trust) ? [one] : []));
  }

  /** Its signature is verified once for all certificates that say the same of where they would be listed. */
  async #openFile(one: KeptCrl, reference: RevocationReference, trust: Trust): Promise<Believed | undefined> {
    const opened = this.#openedFiles.get(one) ?? new Map<string, Believed>();
    const key = JSON.stringify([reference.authority.digest, reference.addresses]);
    const before = opened.get(key);
    if (before) return before;
    const verdict = await openRevocationList(one.bytes, reference, this.#at(trust));
    if (!verdict.ok) return undefined;
    const believed = { list: verdict.list, bytes: one.bytes.length };
    this.#openedFiles.set(one, opened.set(key, believed));
    return believed;
  }

  #isBelieved({ list }: Believed, reference: RevocationReference, trust: Trust): boolean {
    const verdict = checkRevocation(list, reference, this.#at(trust));
    return verdict.ok || verdict.refusal === 'certificate_revoked';
  }

  /** Adds the time at which the trust counts. */
  #at(trust: Trust) {
    return { ...trust, now: new Date(this.#parts.clock.now()) };
  }

  #count(outcome: string): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
  }
}

/** An authority that names the address of another has a place of its own, and does it no harm. */
function placeOf(address: string, reference: RevocationReference, trust: Trust): CrlPlace {
  const { certificate, authority } = reference;
  const key = JSON.stringify([address, trust.profile, certificate.issuer, authority.digest]);
  return { key, address, reference, trust };
}

function newestOf<One extends Believed>(lists: readonly One[]): One | undefined {
  return lists.toSorted((one, other) => other.list.thisUpdate.getTime() - one.list.thisUpdate.getTime())[0];
}

/** Where none is believed, what is wrong with the last. */
function firstBelieved(all: readonly Promise<OpenedCrl>[]): Promise<OpenedCrl | undefined> {
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
export function createListFetch(outbound: Outbound, accept: string, maxBytes: number) {
  const underWay = new Map<string, Promise<FetchedList>>();

  return (uri: string) => {
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

/** Lists by key; the oldest are dropped when all of them take more than `maxBytes`. */
export class KeptLists<One> {
  readonly #kept = new Map<string, { one: One; bytes: number }>();
  readonly #maxBytes: number;
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(key: string): One | undefined {
    return this.#kept.get(key)?.one;
  }

  /** Replaces what was there before. `bytes` is what it takes in memory. */
  keep(key: string, one: One, bytes: number): void {
    this.#drop(key);
    this.#kept.set(key, { one, bytes });
    this.#total += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#total <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#total -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
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
