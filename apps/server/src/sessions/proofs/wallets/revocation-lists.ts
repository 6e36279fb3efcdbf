// Certificate revocation lists (CRLs): fetched and cached, or filed by the operator.
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
import { createOutbound, type Outbound, readBytes } from '../../../platform/outbound/guarded-fetch.ts';
import type { StoredCrl } from './trust/folder.ts';

export type WalletFault = RefusalCode | 'status_unavailable' | 'crl_unavailable';

/** `required` refuses certificates whose list is unavailable, `optional` accepts them, `off` reads no list. */
export type RevocationChecks = 'required' | 'optional' | 'off';

interface RevocationListParts {
  checks: RevocationChecks;
  clock: Clock;
  outbound: Outbound;
  /** CRL files of the operator. The objects stay identical while no file changes. */
  filed: (profile: ProfileId) => Promise<readonly StoredCrl[]>;
  log: Pick<Logger, 'warn'>;
  wait?: WaitFor;
}

interface ValidCrl {
  list: RevocationList;
  bytes: number;
}

type OpenedCrl = ValidCrl | { fault: WalletFault };

type Trust = { profile: ProfileId; anchors: readonly TrustAnchor[] };

type CrlSource = ReturnType<typeof describeCrlSource>;

/** Lists are fetched again after this time, even if they stay in force for months. */
const REFRESH_MS = 60 * 60_000;
/** Pause after a failure, so that not every proof waits for a dead server. */
const RETRY_MS = 15_000;
/** Maximum wait for a newer list while one is in force. */
const PATIENCE_MS = 1_000;
const MAX_FAILED = 256;
const MAX_KEPT_BYTES = 8 * MAX_CRL_BYTES;
const ACCEPT = 'application/pkix-crl, application/x-pkcs7-crl;q=0.9, */*;q=0.1';

export class RevocationLists {
  readonly #parts: RevocationListParts;
  readonly #wait: WaitFor;
  readonly #fetchList: ReturnType<typeof createListFetch>;
  readonly #kept = new ListCache<ValidCrl & { refreshAt: number }>(MAX_KEPT_BYTES);
  readonly #openedFiles = new WeakMap<StoredCrl, Map<string, ValidCrl>>();
  readonly #failed = new Map<string, { fault: WalletFault; until: number }>();
  readonly #underWay = new Map<string, { opened: Promise<OpenedCrl>; patience: Promise<void> }>();
  readonly counts = new Map<string, number>();

  constructor(parts: RevocationListParts) {
    this.#parts = parts;
    this.#wait = parts.wait ?? waitUnheld;
    this.#fetchList = createListFetch(parts.outbound, ACCEPT, MAX_CRL_BYTES);
  }

  async check(
    references: readonly RevocationReference[],
    profile: ProfileId,
    anchors: readonly TrustAnchor[],
    budget: ProofBudget,
  ) {
    const { checks } = this.#parts;
    if (checks === 'off') return undefined;
    const faults = await Promise.all(
      references.map((reference) => this.#checkOne(reference, { profile, anchors }, budget)),
    );
    return faults.find((fault) => fault === 'certificate_revoked' || (fault !== undefined && checks === 'required'));
  }

  /** One address with a valid list is enough. */
  async #checkOne(reference: RevocationReference, trust: Trust, budget: ProofBudget): Promise<WalletFault | undefined> {
    const places = reference.addresses.map((address) => describeCrlSource(address, reference, trust));
    const usable = places.flatMap((place) => this.#findKept(place) ?? []);
    const before = selectNewest<ValidCrl>([...usable, ...(await this.#findFiled(reference, trust))]);
    const found = usable.some(({ refreshAt }) => refreshAt > this.#parts.clock.now())
      ? before
      : await this.#findNewest(places, before, budget);
    if (!found) return 'crl_unavailable';
    if ('fault' in found) return found.fault;
    const verdict = checkRevocation(found.list, reference, this.#at(trust));
    return verdict.ok ? undefined : verdict.refusal;
  }

  /** Fetches the newest list. A cached one is used if that takes too long. */
  async #findNewest(
    places: readonly CrlSource[],
    before: ValidCrl | undefined,
    budget: ProofBudget,
  ): Promise<OpenedCrl | undefined> {
    const refreshes = places.map((place) => this.#refresh(place));
    const opened = firstValid(refreshes.map((refresh) => refresh.opened));
    const limits = before ? refreshes.map(({ patience }) => patience) : [budget()];
    const after = await Promise.race([opened, ...limits]);
    if (!before) return after ?? undefined;
    return after && 'list' in after ? selectNewest<ValidCrl>([before, after]) : before;
  }

  /** `patience` resolves when callers with a list in force stop waiting. */
  #refresh(place: CrlSource) {
    const { key } = place;
    const begun = this.#underWay.get(key);
    if (begun) return begun;
    const failure = this.#failed.get(key);
    if (failure && failure.until > this.#parts.clock.now()) {
      return { opened: Promise.resolve<OpenedCrl>(failure), patience: new Promise<void>(() => {}) };
    }
    const opened = this.#open(place).finally(() => this.#underWay.delete(key));
    const refresh = { opened, patience: this.#wait(PATIENCE_MS) };
    this.#underWay.set(key, refresh);
    return refresh;
  }

  async #open(place: CrlSource): Promise<OpenedCrl> {
    const { key } = place;
    const fetched = await this.#fetchAndRead(place).catch(() => ({ fault: 'crl_unavailable' as const }));
    const outcome = 'fault' in fetched ? fetched.fault : 'believed';
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
    if ('fault' in fetched) {
      this.#parts.log.warn({ fault: fetched.fault }, 'a list of revoked certificates cannot be used');
      if (this.#failed.size >= MAX_FAILED) this.#failed.clear();
      this.#failed.set(key, { fault: fetched.fault, until: this.#parts.clock.now() + RETRY_MS });
      return fetched;
    }
    this.#failed.delete(key);
    // Over http, an attacker on the path can send an older list that is still in force.
    const kept = this.#findKept(place);
    const { list, bytes } = selectNewest<ValidCrl>(kept ? [kept, fetched] : [fetched])!;
    this.#kept.keep(key, { list, bytes, refreshAt: this.#parts.clock.now() + REFRESH_MS }, bytes);
    return { list, bytes };
  }

  async #fetchAndRead({ address, reference, trust }: CrlSource): Promise<OpenedCrl> {
    const { bytes } = await this.#fetchList(address);
    const opened = await openRevocationList(bytes, reference, this.#at(trust));
    return opened.ok ? { list: opened.list, bytes: bytes.length } : { fault: opened.refusal };
  }

  /** Returns the cached list while it is in force and its signer is trusted. */
  #findKept({ key, reference, trust }: CrlSource) {
    const found = this.#kept.find(key);
    return found && this.#isValid(found, reference, trust) ? found : undefined;
  }

  async #findFiled(reference: RevocationReference, trust: Trust): Promise<ValidCrl[]> {
    const files = (await this.#parts.filed(trust.profile)).filter(
      ({ description }) => description.issuer === reference.certificate.issuer,
    );
    const opened = await Promise.all(files.map((file) => this.#openFile(file, reference, trust)));
    return opened.filter((crl) => crl !== undefined && this.#isValid(crl, reference, trust)) as ValidCrl[];
  }

  /** Verifies the signature of a file once for all certificates with the same authority and addresses. */
  async #openFile(file: StoredCrl, reference: RevocationReference, trust: Trust): Promise<ValidCrl | undefined> {
    const opened = this.#openedFiles.get(file) ?? new Map<string, ValidCrl>();
    const key = JSON.stringify([reference.authority.digest, reference.addresses]);
    const before = opened.get(key);
    if (before) return before;
    const verdict = await openRevocationList(file.bytes, reference, this.#at(trust));
    if (!verdict.ok) return undefined;
    const crl = { list: verdict.list, bytes: file.bytes.length };
    this.#openedFiles.set(file, opened.set(key, crl));
    return crl;
  }

  #isValid({ list }: ValidCrl, reference: RevocationReference, trust: Trust): boolean {
    const verdict = checkRevocation(list, reference, this.#at(trust));
    return verdict.ok || verdict.refusal === 'certificate_revoked';
  }

  #at(trust: Trust) {
    return { ...trust, now: new Date(this.#parts.clock.now()) };
  }
}

/** The key includes the authority: an authority that names the address of another does it no harm. */
function describeCrlSource(address: string, reference: RevocationReference, trust: Trust) {
  const { certificate, authority } = reference;
  const key = JSON.stringify([address, trust.profile, certificate.issuer, authority.digest]);
  return { key, address, reference, trust };
}

function selectNewest<Crl extends ValidCrl>(lists: readonly Crl[]): Crl | undefined {
  return lists.toSorted((a, b) => b.list.thisUpdate.getTime() - a.list.thisUpdate.getTime())[0];
}

function firstValid(all: readonly Promise<OpenedCrl>[]): Promise<OpenedCrl | undefined> {
  const valid = all.map(async (opening) => {
    const opened = await opening;
    if ('fault' in opened) throw new Error(opened.fault);
    return opened;
  });
  return Promise.any(valid).catch(async () => (await Promise.all(all)).at(-1));
}

/** Attestations name the addresses, so private networks are refused by default. */
export function createIssuerOutbound({ allowPrivate = false } = {}): Outbound {
  return createOutbound({
    allowPrivate,
    maxConcurrent: 8,
    headersTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    totalTimeoutMs: 10_000,
    maxRedirects: 2,
  });
}

export function createListFetch(outbound: Outbound, accept: string, maxBytes: number) {
  const underWay = new Map<string, ReturnType<typeof fetchList>>();

  const fetchList = (uri: string) =>
    outbound.get(uri, { headers: { accept } }, async (reply) => {
      if (reply.status !== 200) throw new Error(`list answered ${reply.status}`);
      return { bytes: await readBytes(reply, maxBytes), type: reply.header('content-type') ?? '' };
    });

  return (uri: string) => {
    const fetching = underWay.get(uri) ?? fetchList(uri).finally(() => underWay.delete(uri));
    underWay.set(uri, fetching);
    return fetching;
  };
}

/** Cache of lists by key. Evicts the oldest when all together take more than `maxBytes`. */
export class ListCache<List> {
  readonly #kept = new Map<string, { list: List; bytes: number }>();
  readonly #maxBytes: number;
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(key: string): List | undefined {
    return this.#kept.get(key)?.list;
  }

  keep(key: string, list: List, bytes: number): void {
    this.#drop(key);
    this.#kept.set(key, { list, bytes });
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

/** Resolves when a proof has waited long enough. The time starts at the first call. */
export type ProofBudget = () => Promise<void>;

export type WaitFor = (ms: number) => Promise<void>;

const BUDGET_MS = 10_000;

export function createProofBudget(wait: WaitFor): ProofBudget {
  let budget: Promise<void> | undefined;
  return () => {
    budget ??= wait(BUDGET_MS);
    return budget;
  };
}

export const waitUnheld: WaitFor = (ms) => setTimeout(ms, undefined, { ref: false });
