// The core of every namespace: sends a call until it gets a reply or retries make no sense.
import { LimenError } from '../errors.ts';
import type { Call, Exchange } from './exchange.ts';
import { readJwt, readResult, readText } from './reply.ts';
import { isRepeatable, leavesDoubt, planWaitMs, type RetryRules } from './retry.ts';

export type RequestFunction = <Result>(call: Call) => Promise<Result>;

interface RequestOptions {
  exchange: Exchange;
  retries: RetryRules;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  random: () => number;
}

export function createRequest({ exchange, retries, sleep, random }: RequestOptions): RequestFunction {
  return async <Result>(call: Call): Promise<Result> => {
    let maybeDone = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const reply = await exchange(call);
        if (call.asJwt) return readJwt(reply) as Result;
        if (call.isText) return readText(reply) as Result;
        const result = readResult<Result>(reply);
        return call.complete ? (call.complete(result as object, reply.text) as Result) : result;
      } catch (error) {
        // The object is gone, most likely deleted by the attempt whose reply was lost. Its receipt
        // is lost too.
        if (maybeDone && !call.asJwt && saysGone(call, error)) return undefined as Result;
        const waitMs = isRepeatable(call) ? planWaitMs(error, attempt, retries, random, call) : undefined;
        if (waitMs === undefined) throw error;
        maybeDone ||= leavesDoubt(error);
        await sleep(waitMs, call.signal);
      }
    }
  };
}

function saysGone(call: Call, error: unknown): boolean {
  if (!(error instanceof LimenError)) return false;
  return call.saysGone ? call.saysGone(error) : call.method === 'DELETE' && error.status === 404;
}
