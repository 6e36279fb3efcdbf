// The status lists of issuers: fetched where an attestation names one, and kept a few minutes for the next.
import { type ProfileId, type StatusReference, type TrustAnchor, verifyStatus } from '@limen/wallet';
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/guarded-fetch.ts';
import { createListFetch } from './fetch-list.ts';
import type { WalletFault } from './reasons.ts';
import type { RevocationLists } from './revocation-lists.ts';

export interface StatusLists {
  /** Undefined where the attestation holds, else why it does not. */
  check(
    reference: StatusReference,
    profile: ProfileId,
    anchors: readonly TrustAnchor[],
  ): Promise<WalletFault | undefined>;
}

interface StatusListsOptions {
  clock: Clock;
  outbound: Outbound;
  /** Of those that sign the lists. */
  revocationLists: Pick<RevocationLists, 'check'>;
}

type Token = string | Uint8Array;

const MAX_BYTES = 4 * 1024 * 1024;
const KEEP_MS = 5 * 60_000;
/** Of all lists together. One of a million attestations has an eighth of a megabyte at most. */
const MAX_KEPT_BYTES = 8 * MAX_BYTES;
const CWT = 'application/statuslist+cwt';
const JWT = 'application/statuslist+jwt';

export function createStatusLists({ clock, outbound, revocationLists }: StatusListsOptions): StatusLists {
  const kept = new Map<string, { token: Token; until: number }>();
  const fetchList = createListFetch({ outbound, accept: `${JWT}, ${CWT}`, maxBytes: MAX_BYTES });

  return {
    async check(reference, profile, anchors) {
      const { uri } = reference;
      const judge = async (token: Token): Promise<WalletFault | undefined> => {
        const verdict = await verifyStatus(reference, token, { profile, anchors, now: new Date(clock.now()) });
        return verdict.ok ? revocationLists.check(verdict.revocation, profile, anchors) : verdict.refusal;
      };
      const before = findKept(uri);
      if (before !== undefined) {
        const fault = await judge(before);
        // One that has ended since, or is shorter than its attestations are by now, is fetched again.
        if (isSaidOf(fault)) return fault;
      }
      const token = await fetchToken(uri).catch(() => undefined);
      // What cannot be looked up may be revoked.
      if (token === undefined) return 'status_unavailable';
      const fault = await judge(token);
      // A list that nobody believes is looked for again by the next who names it.
      if (isSaidOf(fault)) keep(uri, token);
      return fault;
    },
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

  async function fetchToken(uri: string): Promise<Token> {
    const { bytes, type } = await fetchList(uri);
    return type.startsWith(CWT) ? bytes : bytes.toString('utf8').trim();
  }
}

/** Whether the list was believed, and says something of the attestation. */
function isSaidOf(fault: WalletFault | undefined): boolean {
  return fault === undefined || fault === 'status_revoked';
}
