// The status lists of issuers: fetched where an attestation names one, and kept a few minutes for the next.
import { type ProfileId, type StatusReference, type TrustAnchor, verifyStatus } from '@limen/wallet';
import type { Clock } from '../../platform/clock.ts';
import { createOutbound, type Outbound } from '../../platform/outbound/guarded-fetch.ts';
import type { WalletFault } from './reasons.ts';

export interface StatusLists {
  /** Undefined where the attestation holds, else why it does not. */
  check(
    reference: StatusReference,
    profile: ProfileId,
    anchors: readonly TrustAnchor[],
  ): Promise<WalletFault | undefined>;
  close(): Promise<void>;
}

interface StatusListsOptions {
  clock: Clock;
  outbound: Outbound;
}

type Token = string | Uint8Array;

const MAX_BYTES = 4 * 1024 * 1024;
const KEEP_MS = 5 * 60_000;
/** Of all lists together. One of a million attestations has an eighth of a megabyte at most. */
const MAX_KEPT_BYTES = 8 * MAX_BYTES;
const CWT = 'application/statuslist+cwt';
const JWT = 'application/statuslist+jwt';
const PATIENCE = {
  maxConcurrent: 8,
  headersTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
  totalTimeoutMs: 10_000,
  maxRedirects: 2,
};

/** Attestations name the addresses, so they are nobody's own network. */
export function createStatusOutbound(): Outbound {
  return createOutbound({ ...PATIENCE, allowPrivate: false });
}

export function createStatusLists({ clock, outbound }: StatusListsOptions): StatusLists {
  const kept = new Map<string, { token: Token; until: number }>();
  const underWay = new Map<string, Promise<Token>>();

  return {
    async check(reference, profile, anchors) {
      const { uri } = reference;
      const judge = async (token: Token): Promise<WalletFault | undefined> => {
        const verdict = await verifyStatus(reference, token, { profile, anchors, now: new Date(clock.now()) });
        return verdict.ok ? undefined : verdict.refusal;
      };
      const before = findKept(uri);
      if (before !== undefined) {
        const fault = await judge(before);
        // One that has ended since, or is shorter than its attestations are by now, is fetched again.
        if (isSaidOf(fault)) return fault;
      }
      const token = await fetchOnce(uri).catch(() => undefined);
      // What cannot be looked up may be revoked.
      if (token === undefined) return 'status_unavailable';
      const fault = await judge(token);
      // A list that nobody believes is looked for again by the next who names it.
      if (isSaidOf(fault)) keep(uri, token);
      return fault;
    },
    close: () => outbound.close(),
  };

  function findKept(uri: string): Token | undefined {
    const found = kept.get(uri);
    return found && found.until > clock.now() ? found.token : undefined;
  }

  function keep(uri: string, token: Token): void {
    kept.delete(uri);
    kept.set(uri, { token, until: clock.now() + KEEP_MS });
    let bytes = [...kept.values()].reduce((sum, one) => sum + one.token.length, 0);
    for (const [oldest, { token: dropped }] of kept) {
      if (bytes <= MAX_KEPT_BYTES) return;
      kept.delete(oldest);
      bytes -= dropped.length;
    }
  }

  /** Everybody who comes while it is under way waits for the same. */
  function fetchOnce(uri: string): Promise<Token> {
    const begun = underWay.get(uri);
    if (begun !== undefined) return begun;
    const fetching = fetchList(uri).finally(() => underWay.delete(uri));
    underWay.set(uri, fetching);
    return fetching;
  }

  function fetchList(uri: string): Promise<Token> {
    return outbound.get(uri, { headers: { accept: `${JWT}, ${CWT}` } }, async (reply) => {
      if (reply.status !== 200) throw new Error(`status list answered ${reply.status}`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of reply.body(MAX_BYTES)) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      return reply.header('content-type')?.startsWith(CWT) ? bytes : bytes.toString('utf8').trim();
    });
  }
}

/** Whether the list was believed, and says something of the attestation. */
function isSaidOf(fault: WalletFault | undefined): boolean {
  return fault === undefined || fault === 'status_revoked';
}
