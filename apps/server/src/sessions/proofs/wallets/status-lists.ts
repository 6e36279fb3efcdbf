// Status lists of issuers: fetched where an attestation names one, and cached for a few minutes.
import {
  checkStatus,
  openStatusList,
  type ProfileId,
  type StatusList,
  type StatusReference,
  type TrustAnchor,
} from '@limen/wallet';
import type { Clock } from '../../../platform/base/clock.ts';
import type { Outbound } from '../../../platform/outbound/guarded-fetch.ts';
import { MAX_STATUS_LIST_BYTES } from '../../limits.ts';
import {
  createListFetch,
  ListCache,
  type ProofBudget,
  type RevocationLists,
  type WalletFault,
} from './revocation-lists.ts';

interface StatusListsOptions {
  clock: Clock;
  outbound: Outbound;
  revocationLists: Pick<RevocationLists, 'check'>;
}

const KEEP_MS = 5 * 60_000;
/** Uncompressed size of all cached lists. A list of a million attestations takes 125 KB. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
const CWT = 'application/statuslist+cwt';
const JWT = 'application/statuslist+jwt';

export function createStatusLists({ clock, outbound, revocationLists }: StatusListsOptions) {
  const kept = new ListCache<{ list: StatusList; until: number }>(MAX_KEPT_BYTES);
  const fetchList = createListFetch(outbound, `${JWT}, ${CWT}`, MAX_STATUS_LIST_BYTES);

  return {
    async check(reference: StatusReference, profile: ProfileId, anchors: readonly TrustAnchor[], budget: ProofBudget) {
      const { uri } = reference;
      const trust = { profile, anchors, now: new Date(clock.now()) };
      const key = JSON.stringify([profile, uri]);
      const judge = async (list: StatusList): Promise<WalletFault | undefined> => {
        const verdict = await checkStatus(list, reference, trust);
        return verdict.ok ? revocationLists.check(verdict.revocation, profile, anchors, budget) : verdict.refusal;
      };
      const before = kept.find(key);
      if (before && before.until > clock.now()) {
        const fault = await judge(before.list);
        // A list that expired, or is shorter than its attestations by now, is fetched again.
        if (isConclusive(fault)) return fault;
      }
      const token = await Promise.race([fetchToken(uri).catch(() => undefined), budget().then(() => undefined)]);
      // A status that cannot be looked up may be revoked.
      if (token === undefined) return 'status_unavailable';
      const opened = await openStatusList(token, trust);
      if (!opened.ok) return opened.refusal;
      const { list } = opened;
      const fault = await judge(list);
      if (isConclusive(fault)) kept.keep(key, { list, until: clock.now() + KEEP_MS }, list.statuses.bytes.length);
      return fault;
    },
  };

  async function fetchToken(uri: string): Promise<string | Uint8Array> {
    const { bytes, type } = await fetchList(uri);
    return type.startsWith(CWT) ? bytes : bytes.toString('utf8').trim();
  }
}

export type StatusLists = ReturnType<typeof createStatusLists>;

/** Returns whether the list is valid and covers the attestation. */
function isConclusive(fault: WalletFault | undefined): boolean {
  return fault === undefined || fault === 'status_revoked';
}
