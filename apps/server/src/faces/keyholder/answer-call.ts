// Answers one message: checks it, makes the call, and reduces a failure to its kind.
import { isDiskFull, isUnavailable } from '../../platform/base/database-failures.ts';
import { describeForLog } from '../../platform/base/errors.ts';
import { ChallengeRefusedError, PersonLockedError, ThrottledError, UnknownEpochError } from './link/calls.ts';
import {
  type CallName,
  type CallReply,
  type CallRequest,
  isAsk,
  isCall,
  type Refusal,
  type ReplyMessage,
} from './link/messages.ts';
import type { KeyHolderCalls } from './service.ts';
import { AnswersSpentError } from './throttle/hourly-budgets.ts';

export type AnswerCall = (message: Record<string, unknown>) => Promise<ReplyMessage> | undefined;

interface CallResult<Reply> {
  reply: Reply;
  blobs?: Uint8Array[];
}

type WriteLog = (facts: object, sentence: string) => void;

export function createAnswerCall(holder: KeyHolderCalls, log: WriteLog, counts?: CallCounts): AnswerCall {
  const answers: { [C in CallName]: (ask: CallRequest<C>, blobs: Uint8Array[]) => Promise<CallResult<CallReply<C>>> } =
    {
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
      renew: async ({ customer, from, to }, masked) => ({
        reply: {},
        blobs: await holder.renew(customer, from, to, masked),
      }),
      async pack({ customer, epoch }, blobs) {
        const half = Math.floor(blobs.length / 2);
        const packed = await holder.pack(customer, epoch, blobs.slice(0, half), blobs.slice(half));
        return 'blocks' in packed ? { reply: {}, blobs: packed.blocks } : { reply: packed };
      },
      async retire({ customer, epoch }) {
        await holder.retire(customer, epoch);
        return { reply: {} };
      },
    };

  return ({ id, call, ask, blobs }) => {
    if (typeof id !== 'number') return undefined;
    if (!isCall(call) || !Array.isArray(blobs) || !isAsk(call, ask, blobs)) {
      log({ call: isCall(call) ? call : 'unknown' }, 'a call is not as it should be');
      return Promise.resolve({ id, refusal: { code: 'failed' }, blobs: [] });
    }
    const answer = answers[call] as (ask: unknown, blobs: Uint8Array[]) => Promise<CallResult<unknown>>;
    return answer(ask, blobs).then(
      ({ reply, blobs: made = [] }) => {
        counts?.count(call);
        return { id, reply, blobs: made };
      },
      (error: unknown) => {
        const refusal = describeRefusal(error);
        if (refusal.code === 'failed') log({ ...describeForLog(error), call }, 'a call failed');
        counts?.count(call, findReason(error, refusal));
        return { id, refusal, blobs: [] };
      },
    );
  };
}

function describeRefusal(error: unknown): Refusal {
  if (error instanceof PersonLockedError) return { code: 'locked', retryAfter: error.retryAfter };
  if (error instanceof ThrottledError) return { code: 'throttled', retryAfter: error.retryAfter };
  if (error instanceof ChallengeRefusedError) return { code: 'challenge', detail: error.reason };
  return { code: error instanceof UnknownEpochError ? 'epoch' : 'failed' };
}

const REASONS = ['throttled', 'answers_spent', 'locked', 'challenge', 'epoch', 'store', 'failed'] as const;
type RefusalReason = (typeof REASONS)[number];

function findReason(error: unknown, { code }: Refusal): RefusalReason {
  if (error instanceof AnswersSpentError) return 'answers_spent';
  return isUnavailable(error) || isDiskFull(error) ? 'store' : code;
}

export type CallCounts = ReturnType<typeof createCallCounts>;

/** Counts calls for metrics, by kind and by reason of refusal: never by customer, person or address. */
export function createCallCounts() {
  const calls = new Map<string, number>();
  // Start at 0: Prometheus sees no increase if a series appears with its first count.
  const refusals = new Map<string, number>(REASONS.map((reason) => [reason, 0]));
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
