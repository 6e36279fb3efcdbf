// The status lists of issuers: fetched where an attestation names one, and kept a few minutes for the next.
import { type ProfileId, type StatusReference, type TrustAnchor, verifyStatus } from '@limen/wallet';
import type { Clock } from '../../platform/clock.ts';
import { createOutbound } from '../../platform/outbound/guarded-fetch.ts';
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

interface Kept {
  token: string | Uint8Array;
  until: number;
}

const MAX_BYTES = 4 * 1024 * 1024;
const KEEP_MS = 5 * 60_000;
const MAX_KEPT = 32;
const CWT = 'application/statuslist+cwt';
const JWT = 'application/statuslist+jwt';
const PATIENCE = {
  maxConcurrent: 8,
  headersTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
  totalTimeoutMs: 10_000,
  maxRedirects: 2,
};

/** Attestations name the address, so it is nobody's own network: `allowPrivate` is for tests. */
export function createStatusLists({
  clock,
  allowPrivate = false,
}: {
  clock: Clock;
  allowPrivate?: boolean;
}): StatusLists {
  const outbound = createOutbound({ ...PATIENCE, allowPrivate });
  const kept = new Map<string, Kept>();

  return {
    async check(reference, profile, anchors) {
      const token = await find(reference.uri).catch(() => undefined);
      // What cannot be looked up may be revoked.
      if (token === undefined) return 'status_unavailable';
      const verdict = await verifyStatus(reference, token, { profile, anchors, now: new Date(clock.now()) });
      return verdict.ok ? undefined : verdict.refusal;
    },
    close: () => outbound.close(),
  };

  async function find(uri: string): Promise<string | Uint8Array> {
    const before = kept.get(uri);
    if (before && before.until > clock.now()) return before.token;
    const token = await outbound.get(uri, { headers: { accept: `${JWT}, ${CWT}` } }, async (reply) => {
      if (reply.status !== 200) throw new Error(`status list answered ${reply.status}`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of reply.body(MAX_BYTES)) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      return reply.header('content-type')?.startsWith(CWT) ? bytes : bytes.toString('utf8').trim();
    });
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.delete(uri);
    kept.set(uri, { token, until: clock.now() + KEEP_MS });
    return token;
  }
}
