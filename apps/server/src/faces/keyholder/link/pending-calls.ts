// Calls that wait for their answers, over whatever link: matched by number, checked, and never left waiting.

import { ChallengeRefused, KeyHolderUnavailable, PersonLocked, Throttled, UnknownEpoch } from './calls.ts';
import { type CallName, isReply, type Refusal, type ReplyOf } from './messages.ts';

/** Beyond this the key-holder is too far behind for another call to make sense. */
const MAX_PENDING = 2_048;
const CALL_TIMEOUT_MS = 30_000;
/** A rotation waits for enrolments, at most for the life of a challenge. */
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

/** `onTimeout` hears of calls that got no answer at all. */
export function createPendingCalls(onTimeout: () => void = () => {}) {
  const waiting = new Map<number, WaitingCall>();
  let lastId = 0;

  function end(id: number): WaitingCall | undefined {
    const found = waiting.get(id);
    if (!found) return undefined;
    clearTimeout(found.timer);
    waiting.delete(id);
    return found;
  }

  /** As many wait as may. */
  const isFull = () => waiting.size >= MAX_PENDING;

  return {
    isFull,
    /** Rejects with what the key-holder refused it with, or with KeyHolderUnavailable. */
    open<C extends CallName>(call: C, send: (id: number) => void): Promise<CallAnswer<C>> {
      if (isFull()) return Promise.reject(new KeyHolderUnavailable('too many calls wait already'));
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            end(id)?.reject(new KeyHolderUnavailable('there was no answer in time'));
            onTimeout();
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
    take(message: unknown): boolean {
      const { id, reply, refusal, blobs } = (message ?? {}) as Record<string, unknown>;
      if (typeof id !== 'number' || !Array.isArray(blobs)) return false;
      const found = end(id);
      if (!found) return id <= lastId; // it came too late
      if (refusal !== undefined) {
        found.reject(errorOf(refusal as Refusal));
        return true;
      }
      if (isReply(found.call, reply, blobs)) {
        found.resolve({ reply, blobs });
        return true;
      }
      found.reject(new KeyHolderUnavailable('the answer is none'));
      return false;
    },
    failAll(why: string): void {
      for (const id of [...waiting.keys()]) end(id)?.reject(new KeyHolderUnavailable(why));
    },
  };
}

function errorOf(refusal: Refusal): Error {
  const { code, retryAfter, detail } = refusal ?? {};
  const wait = Number.isInteger(retryAfter) ? Math.max(1, retryAfter!) : 1;
  if (code === 'throttled') return new Throttled(wait);
  if (code === 'locked') return new PersonLocked(wait);
  if (code === 'challenge') {
    return new ChallengeRefused(detail === 'used' || detail === 'expired' ? detail : 'unknown');
  }
  if (code === 'epoch') return new UnknownEpoch('the key-holder has no such epoch');
  return new KeyHolderUnavailable('the key-holder failed');
}
