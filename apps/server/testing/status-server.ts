// Status and certificate revocation lists at fake addresses, fetched as from an issuer.

import type { Outbound, OutboundReply } from '../src/platform/outbound/guarded-fetch.ts';
import { createIssuerOutbound } from '../src/sessions/proofs/wallets/revocation-lists.ts';

type Reply = string | Uint8Array | { status: number };

export interface StatusServer {
  /** Outbound calls, which otherwise go through the service's own */
  outbound: Outbound;
  /** Sets the reply of an address: a JWT, a CWT, or a status. */
  serve(uri: string, reply: () => Reply | Promise<Reply>): void;
  /** Fetched addresses, in order */
  readonly fetched: readonly string[];
}

export function createStatusServer(): StatusServer {
  const served = new Map<string, () => Reply | Promise<Reply>>();
  const fetched: string[] = [];
  const others = createIssuerOutbound();
  return {
    outbound: {
      async get(url, call, read) {
        fetched.push(url);
        const answer = served.get(url);
        return answer ? read(present(await answer())) : others.get(url, call, read);
      },
      post: others.post,
      close: others.close,
    },
    serve: (uri, reply) => void served.set(uri, reply),
    fetched,
  };
}

function present(reply: Reply): OutboundReply {
  const isList = typeof reply === 'string' || reply instanceof Uint8Array;
  const type = typeof reply === 'string' ? 'application/statuslist+jwt' : 'application/statuslist+cwt';
  return {
    status: isList ? 200 : reply.status,
    header: (name) => (name === 'content-type' ? type : undefined),
    async *body() {
      if (isList) yield Buffer.from(reply as string);
    },
  };
}
