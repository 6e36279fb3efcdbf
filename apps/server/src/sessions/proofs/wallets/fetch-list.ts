// Fetches what issuers publish about their attestations and certificates, from addresses that those name: never from a private
// network, bounded in time and bytes.
import { createOutbound, type Outbound } from '../../../platform/outbound/guarded-fetch.ts';

export interface FetchedList {
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

/** Attestations and certificates name the addresses, so they are nobody's own network. */
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
