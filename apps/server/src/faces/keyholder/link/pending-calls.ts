// Calls that wait for their answers over a link. Answers are matched by number and checked.
import { ChallengeRefused, KeyHolderUnavailable, PersonLocked, Throttled, UnknownEpoch } from './calls.ts';
import { type CallName, isReply, type Refusal, type ReplyOf } from './messages.ts';

/** With more calls waiting, the key-holder is too far behind to take another one. */
const MAX_PENDING = 2_048;
const CALL_TIMEOUT_MS = 30_000;
/** A rotation waits for enrollments, at most for the life of a challenge. */
const ROTATE_TIMEOUT_MS = 120_000;

export interface CallAnswer<C extends CallName> {
  reply: ReplyOf<C>;
  blobs: Uint8Array[];
}

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
      if (isFull()) return Promise.reject(new KeyHolderUnavailable('too many calls wait already'));
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            end(id)?.reject(new KeyHolderUnavailable('there was no answer in time'));
            onTimeout?.();
          },
          call === 'rotate' ? ROTATE_TIMEOUT_MS : CALL_TIMEOUT_MS,
        );
        waiting.set(id, { call, resolve: resolve as WaitingCall['resolve'], reject, timer });
        try {
          send(id);
        } catch (error) {
          end(id)?.reject(new KeyHolderUnavailable('the call could not be sent', { cause: error }));
        }
      });
    },
    /** Returns false if the message is no valid answer: the sender can no longer be trusted. */
    take({ id, reply, refusal, blobs }: Record<string, unknown>): boolean {
      if (typeof id !== 'number' || !Array.isArray(blobs)) return false;
      const call = end(id);
      if (!call) return id <= lastId; // an answer after the timeout
      if (refusal !== undefined) {
        call.reject(errorOf(refusal as Refusal));
        return true;
      }
      const isValid = isReply(call.call, reply, blobs);
      if (isValid) call.resolve({ reply, blobs });
      else call.reject(new KeyHolderUnavailable('the answer is none'));
      return isValid;
    },
    failAll(reason: string): void {
      for (const id of [...waiting.keys()]) end(id)?.reject(new KeyHolderUnavailable(reason));
    },
  };
}

function errorOf(refusal: Refusal): Error {
  const { code, retryAfter, detail } = refusal ?? {};
  const wait = Number.isInteger(retryAfter) ? Math.max(1, retryAfter!) : 1;
  switch (code) {
    case 'throttled':
      return new Throttled(wait);
    case 'locked':
      return new PersonLocked(wait);
    case 'challenge':
      return new ChallengeRefused(detail === 'used' || detail === 'expired' ? detail : 'unknown');
    case 'epoch':
      return new UnknownEpoch('the key-holder has no such epoch');
    default:
      return new KeyHolderUnavailable('the key-holder failed');
  }
}
