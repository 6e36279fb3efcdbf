// Answers one message: checks it, makes the call, and says no more of a failure than its kind.

import { isDiskFull, isUnavailable } from '../../platform/base/database-failures.ts';
import { describeForLog } from '../../platform/base/errors.ts';
import { ChallengeRefused, PersonLocked, Throttled, UnknownEpoch } from './link/calls.ts';
import {
  type AskOf,
  type CallName,
  isAsk,
  isCall,
  type Refusal,
  type ReplyMessage,
  type ReplyOf,
} from './link/messages.ts';
import type { KeyHolderCalls } from './service.ts';
import { AnswersSpentError } from './throttle/hourly-budgets.ts';

/** Undefined for what is no message at all: its sender is not one of ours. */
export type AnswerCall = (message: Record<string, unknown>) => Promise<ReplyMessage> | undefined;

/** Says in the log what went wrong. */
type Complain = (facts: object, sentence: string) => void;

type Answers = {
  [C in CallName]: (ask: AskOf<C>, blobs: Uint8Array[]) => Promise<{ reply: ReplyOf<C>; blobs?: Uint8Array[] }>;
};

export function createAnswerCall(
  holder: KeyHolderCalls,
  complain: Complain,
  { count }: Pick<CallCounts, 'count'> = { count: () => {} },
): AnswerCall {
  const answers: Answers = {
    hello: async () => ({ reply: {}, blobs: [await holder.identity()] }),
    async openChallenge(ask) {
      const { challenge, publicKey, signature, identity, expiresAt } = await holder.openChallenge(ask);
      return { reply: { challenge, expiresAt }, blobs: [publicKey, signature, identity] };
    },
    begin: async ({ challenge, about }, [bytes]) => ({
      reply: { shape: await holder.begin(challenge, about, { bytes: bytes! }) },
    }),
    async rows({ challenge, epoch, count }, [bytes]) {
      await holder.rows(challenge, epoch, { count, bytes: bytes! });
      return { reply: {} };
    },
    fold: async ({ challenge, epoch }, [masked]) => ({
      reply: {},
      blobs: [await holder.fold(challenge, epoch, masked!)],
    }),
    async blocks({ challenge, epoch, count }, [bytes, common]) {
      await holder.blocks(challenge, epoch, { count, bytes: bytes!, common: common! });
      return { reply: {} };
    },
    finish: async ({ challenge }) => ({ reply: await holder.finish(challenge) }),
    async adopt({ challenge }, [masked]) {
      const { epoch, body } = await holder.adopt(challenge, masked!);
      return { reply: { epoch }, blobs: [body] };
    },
    settle: async ({ challenge, person }) => ({ reply: { settlement: await holder.settle(challenge, person) } }),
    rotate: async ({ customer }) => ({ reply: await holder.rotate(customer) }),
    renew: async ({ customer, from, to }, blobs) => ({
      reply: {},
      blobs: await holder.renew(customer, from, to, blobs),
    }),
    async pack({ customer, epoch }, blobs) {
      const half = Math.floor(blobs.length / 2);
      const packed = await holder.pack(customer, epoch, blobs.slice(0, half), blobs.slice(half));
      return 'blocks' in packed ? { reply: {}, blobs: packed.blocks } : { reply: { unbalanced: packed.unbalanced } };
    },
    async retire({ customer, epoch }) {
      await holder.retire(customer, epoch);
      return { reply: {} };
    },
  };

  return ({ id, call, ask, blobs }) => {
    if (typeof id !== 'number') return undefined;
    if (!isCall(call) || !Array.isArray(blobs) || !isAsk(call, ask, blobs)) {
      complain({ call: isCall(call) ? call : 'unknown' }, 'a call is not as it should be');
      return Promise.resolve({ id, refusal: { code: 'failed' }, blobs: [] });
    }
    const answer = answers[call] as (
      ask: unknown,
      blobs: Uint8Array[],
    ) => Promise<{ reply: unknown; blobs?: Uint8Array[] }>;
    return answer(ask, blobs).then(
      (made) => {
        count(call);
        return { id, reply: made.reply, blobs: made.blobs ?? [] };
      },
      (error: unknown) => {
        const refusal = refusalOf(error, call, complain);
        count(call, reasonOf(error, refusal));
        return { id, refusal, blobs: [] };
      },
    );
  };
}

function refusalOf(error: unknown, call: CallName, complain: Complain): Refusal {
  if (error instanceof PersonLocked) return { code: 'locked', retryAfter: error.retryAfter };
  if (error instanceof Throttled) return { code: 'throttled', retryAfter: error.retryAfter };
  if (error instanceof ChallengeRefused) return { code: 'challenge', detail: error.reason };
  if (error instanceof UnknownEpoch) return { code: 'epoch' };
  complain({ ...describeForLog(error), call }, 'a call failed');
  return { code: 'failed' };
}

function reasonOf(error: unknown, { code }: Refusal): RefusalReason {
  if (error instanceof AnswersSpentError) return 'answers_spent';
  return isUnavailable(error) || isDiskFull(error) ? 'store' : code;
}

// Counts the calls of a key-holder's process for its metrics, by kind and by reason of refusal: never by customer, person or address.
/** `store`: the database is away or its disk is full. `failed`: anything else that went wrong. */
export type RefusalReason = Refusal['code'] | 'answers_spent' | 'store';

const REASONS: Record<RefusalReason, true> = {
  throttled: true,
  answers_spent: true,
  locked: true,
  challenge: true,
  epoch: true,
  store: true,
  failed: true,
};

export type CallCounts = ReturnType<typeof createCallCounts>;

export function createCallCounts() {
  const calls = new Map<string, number>();
  // From 0, because an increase from nothing is none to Prometheus.
  const refusals = new Map<string, number>(Object.keys(REASONS).map((reason) => [reason, 0]));
  const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    calls,
    refusals,
    count(call: CallName, refused?: RefusalReason): void {
      add(calls, call);
      if (refused) add(refusals, refused);
    },
  };
}
