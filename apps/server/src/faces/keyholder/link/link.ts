// A link to the key-holder, and the key-holder as the service sees it over any link.
import { BLOCK_PEOPLE, BLOCK_ROW_BYTES, ROW_BYTES } from '@limen/token/shared';
import {
  ChallengeRefusedError,
  type KeyHolder,
  KeyHolderUnavailableError,
  PersonLockedError,
  ThrottledError,
  UnknownEpochError,
} from './calls.ts';
import {
  type CallName,
  type CallReply,
  type CallRequest,
  isReply,
  MAX_PACKED,
  MAX_RENEWED,
  type Refusal,
} from './messages.ts';

const MAX_ROWS = 512;
const MAX_BLOCKS = 2_048;

export type FindProblem = (identity: Uint8Array) => Promise<string | undefined>;

export interface CallAnswer<C extends CallName> {
  reply: CallReply<C>;
  blobs: Uint8Array[];
}

export interface Link {
  call<C extends CallName>(call: C, ask: CallRequest<C>, blobs?: readonly Uint8Array[]): Promise<CallAnswer<C>>;
  state(): string;
  close(): Promise<void>;
}

export function keyHolderOver(link: Link): KeyHolder {
  return {
    identity: async () => (await link.call('hello', {})).blobs[0]!,
    async openChallenge(ask) {
      const { reply, blobs } = await link.call('openChallenge', ask);
      const [publicKey, signature, identity] = blobs as [Uint8Array, Uint8Array, Uint8Array];
      return { ...reply, publicKey, signature, identity };
    },
    begin: async (challenge, about, { bytes }) => (await link.call('begin', { challenge, about }, [bytes])).reply.shape,
    async rows(challenge, epoch, { count, bytes }) {
      await sendInParts(bytes, count, MAX_ROWS, ROW_BYTES, (part, blob) =>
        link.call('rows', { challenge, epoch, count: part }, [blob]),
      );
    },
    fold: async (challenge, epoch, masked) => (await link.call('fold', { challenge, epoch }, [masked])).blobs[0]!,
    async blocks(challenge, epoch, { count, bytes, common }) {
      await sendInParts(bytes, count, MAX_BLOCKS, BLOCK_ROW_BYTES, (part, blob) =>
        link.call('blocks', { challenge, epoch, count: part }, [blob, common]),
      );
    },
    finish: async (challenge) => (await link.call('finish', { challenge })).reply,
    async adopt(challenge, masked) {
      const { reply, blobs } = await link.call('adopt', { challenge }, [masked]);
      return { epoch: reply.epoch, body: blobs[0]! };
    },
    settle: async (challenge, person) => (await link.call('settle', { challenge, person })).reply.settlement,
    rotate: async (customer) => (await link.call('rotate', { customer })).reply,
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
    async pack(customer, epoch, masked, balances) {
      const packed: Uint8Array[] = [];
      for (let at = 0; at < masked.length; at += MAX_PACKED) {
        const part = masked.slice(at, at + MAX_PACKED);
        const { reply, blobs } = await link.call('pack', { customer, epoch }, [
          ...part,
          ...balances.slice(at, at + MAX_PACKED),
        ]);
        if (reply.unbalanced !== undefined) return { unbalanced: at + reply.unbalanced };
        if (blobs.length !== part.length / BLOCK_PEOPLE)
          throw new Error('the key-holder gave back another number of blocks');
        packed.push(...blobs);
      }
      return { blocks: packed };
    },
    retire: async (customer, epoch) => void (await link.call('retire', { customer, epoch })),
    state: () => link.state(),
    close: () => link.close(),
  };
}

/** Sends all parts at once, so that no later call comes between them. */
async function sendInParts(
  bytes: Uint8Array,
  count: number,
  most: number,
  size: number,
  send: (count: number, blob: Uint8Array) => Promise<unknown>,
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (let from = 0; from < count; from += most) {
    const part = Math.min(most, count - from);
    sent.push(send(part, bytes.subarray(from * size, (from + part) * size)));
  }
  await Promise.allSettled(sent);
  await Promise.all(sent);
}

const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 5_000;

export function createBackoff() {
  let tries = 0;
  return {
    next(): number {
      const ceiling = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(tries++, 16));
      return ceiling / 2 + Math.random() * (ceiling / 2);
    },
    reset(): void {
      tries = 0;
    },
  };
}

/** With more calls waiting, the key-holder is too far behind to take another one. */
const MAX_PENDING = 2_048;
const CALL_TIMEOUT_MS = 30_000;
/** A rotation waits for enrollments, at most for the life of a challenge. */
const ROTATE_TIMEOUT_MS = 120_000;

interface WaitingCall {
  call: CallName;
  resolve: (answer: CallAnswer<CallName>) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

export function createPendingCalls(onTimeout?: () => void) {
  const waiting = new Map<number, WaitingCall>();
  let lastId = 0;
  const isFull = () => waiting.size >= MAX_PENDING;

  function end(id: number): WaitingCall | undefined {
    const call = waiting.get(id);
    clearTimeout(call?.timer);
    waiting.delete(id);
    return call;
  }

  return {
    isFull,
    open<C extends CallName>(call: C, send: (id: number) => void): Promise<CallAnswer<C>> {
      if (isFull()) return Promise.reject(new KeyHolderUnavailableError('too many calls wait already'));
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            end(id)?.reject(new KeyHolderUnavailableError('there was no answer in time'));
            onTimeout?.();
          },
          call === 'rotate' ? ROTATE_TIMEOUT_MS : CALL_TIMEOUT_MS,
        );
        waiting.set(id, { call, resolve: resolve as WaitingCall['resolve'], reject, timer });
        try {
          send(id);
        } catch (error) {
          end(id)?.reject(new KeyHolderUnavailableError('the call could not be sent', { cause: error }));
        }
      });
    },
    /** Returns false if the message is no valid answer: the sender can no longer be trusted. */
    take({ id, reply, refusal, blobs }: Record<string, unknown>): boolean {
      if (typeof id !== 'number' || !Array.isArray(blobs)) return false;
      const call = end(id);
      if (!call) return id <= lastId; // an answer after the timeout
      if (refusal !== undefined) {
        call.reject(toError(refusal as Refusal));
        return true;
      }
      const isValid = isReply(call.call, reply, blobs);
      if (isValid) call.resolve({ reply, blobs });
      else call.reject(new KeyHolderUnavailableError('the answer is none'));
      return isValid;
    },
    failAll(reason: string): void {
      for (const id of [...waiting.keys()]) end(id)?.reject(new KeyHolderUnavailableError(reason));
    },
  };
}

function toError(refusal: Refusal): Error {
  const { code, retryAfter, detail } = refusal ?? {};
  const wait = Number.isInteger(retryAfter) ? Math.max(1, retryAfter!) : 1;
  switch (code) {
    case 'throttled':
      return new ThrottledError(wait);
    case 'locked':
      return new PersonLockedError(wait);
    case 'challenge':
      return new ChallengeRefusedError(detail === 'used' || detail === 'expired' ? detail : 'unknown');
    case 'epoch':
      return new UnknownEpochError('the key-holder has no such epoch');
    default:
      return new KeyHolderUnavailableError('the key-holder failed');
  }
}
