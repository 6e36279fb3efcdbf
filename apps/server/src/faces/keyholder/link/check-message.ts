// Checks messages against the table of calls, on the side that receives them.
import { compileCheck } from '../../../platform/json/compile-check.ts';
import { type AskOf, CALLS, type CallName, type ReplyOf } from './messages.ts';

/** Made once at the start: it takes a moment. */
const CHECKS = new Map(
  Object.entries(CALLS).map(([call, { ask, reply }]) => [call, { ask: compileCheck(ask), reply: compileCheck(reply) }]),
);

export function isCall(call: unknown): call is CallName {
  return typeof call === 'string' && CHECKS.has(call);
}

export function isAsk<C extends CallName>(call: C, ask: unknown, blobs: readonly unknown[]): ask is AskOf<C> {
  return fits(blobs, CALLS[call].askBlobs) && CHECKS.get(call)!.ask(ask);
}

export function isReply<C extends CallName>(call: C, reply: unknown, blobs: readonly unknown[]): reply is ReplyOf<C> {
  return fits(blobs, CALLS[call].replyBlobs) && CHECKS.get(call)!.reply(reply);
}

function fits(blobs: readonly unknown[], [least, most]: readonly [number, number]): boolean {
  return blobs.length >= least && blobs.length <= most && blobs.every((blob) => blob instanceof Uint8Array);
}
