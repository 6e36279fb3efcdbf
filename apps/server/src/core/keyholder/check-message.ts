// Checks messages against the table of calls, on the side that receives them.
import { Compile } from 'typebox/compile';
import { type AskOf, CALLS, type CallName, type ReplyOf } from './messages.ts';

/** Made once at the start: it takes a moment. */
const VALIDATORS = new Map(
  Object.entries(CALLS).map(([call, { ask, reply }]) => [call, { ask: Compile(ask), reply: Compile(reply) }]),
);

export function isCall(call: unknown): call is CallName {
  return typeof call === 'string' && VALIDATORS.has(call);
}

export function isAsk<C extends CallName>(call: C, ask: unknown, blobs: readonly unknown[]): ask is AskOf<C> {
  return fits(blobs, CALLS[call].askBlobs) && VALIDATORS.get(call)!.ask.Check(ask);
}

export function isReply<C extends CallName>(call: C, reply: unknown, blobs: readonly unknown[]): reply is ReplyOf<C> {
  return fits(blobs, CALLS[call].replyBlobs) && VALIDATORS.get(call)!.reply.Check(reply);
}

function fits(blobs: readonly unknown[], [least, most]: readonly [number, number]): boolean {
  return blobs.length >= least && blobs.length <= most && blobs.every((blob) => blob instanceof Uint8Array);
}
