// A way to reach the key-holder, and the key-holder as the service sees it over any such way.
import { ROW_BYTES } from '@limen/token/shared';
import type { KeyHolder } from './keyholder.ts';
import { type AskOf, type CallName, MAX_RENEWED } from './messages.ts';
import type { Answer } from './pending-calls.ts';

/** Rows of one message: 8.4 MB. */
const MAX_ROWS = 512;

export interface Link {
  call<C extends CallName>(call: C, ask: AskOf<C>, blobs?: readonly Uint8Array[]): Promise<Answer<C>>;
  /** `ready`, or why it is not. */
  state(): string;
  close(): Promise<void>;
}

export function keyHolderOver(link: Link): KeyHolder {
  return {
    identity: async () => (await link.call('hello', {})).blobs[0]!,
    async openChallenge({ customer, purpose, session, sessionHandle, address, vouched }) {
      const ask = {
        customer,
        purpose,
        session,
        address,
        ...(sessionHandle !== undefined && { sessionHandle }),
        ...(vouched && { vouched: { ...vouched } }),
      };
      const { reply, blobs } = await link.call('openChallenge', ask);
      const [publicKey, signature, identity] = blobs as [Uint8Array, Uint8Array, Uint8Array];
      return { ...reply, publicKey, signature, identity };
    },
    async begin(challenge, { person, modelVersion, facts }, { bytes }) {
      const about = {
        modelVersion,
        ...(person !== undefined && { person }),
        ...(facts !== undefined && { facts: { ...facts } }),
      };
      const { reply } = await link.call('begin', { challenge, about }, [bytes]);
      return reply.shape;
    },
    async rows(challenge, epoch, { count, bytes }) {
      const sent: Promise<unknown>[] = [];
      // All at once: a later call of rows must not come between.
      for (let from = 0; from < count; from += MAX_ROWS) {
        const part = Math.min(MAX_ROWS, count - from);
        const blob = bytes.subarray(from * ROW_BYTES, (from + part) * ROW_BYTES);
        sent.push(link.call('rows', { challenge, epoch, count: part }, [blob]));
      }
      const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
      if (failed) throw (failed as PromiseRejectedResult).reason;
    },
    async finish(challenge) {
      const { reply } = await link.call('finish', { challenge });
      return { best: reply.best };
    },
    async adopt(challenge, masked) {
      const { reply, blobs } = await link.call('adopt', { challenge }, [masked]);
      return { epoch: reply.epoch, body: blobs[0]! };
    },
    async settle(challenge, person) {
      const { reply } = await link.call('settle', { challenge, person });
      return reply.settlement;
    },
    async rotate(customer) {
      const { reply } = await link.call('rotate', { customer });
      return { from: reply.from, to: reply.to };
    },
    async renew(customer, from, to, masked) {
      const renewed: Uint8Array[] = [];
      for (let at = 0; at < masked.length; at += MAX_RENEWED) {
        const part = masked.slice(at, at + MAX_RENEWED);
        const { blobs } = await link.call('renew', { customer, from, to }, part);
        if (blobs.length !== part.length) throw new Error('the key-holder gave back another number of bodies');
        renewed.push(...blobs);
      }
      return renewed;
    },
    retire: async (customer, epoch) => void (await link.call('retire', { customer, epoch })),
    state: () => link.state(),
    close: () => link.close(),
  };
}
