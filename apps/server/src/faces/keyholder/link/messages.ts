// The messages between service and key-holder: the exact content of each call in both directions.
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { type Static, type TProperties, Type } from 'typebox';
import { compileCheck } from '../../../platform/json/compile-check.ts';

const name = Type.String({ minLength: 1, maxLength: 256 });
const id = Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' });
const count = Type.Integer({ minimum: 0, maximum: 1_000_000 });
/** Facts for the audit line, such as those of the sensor: a few short values, nothing personal, at most 4 KB. */
const facts = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_.-]{1,32}$' }),
  Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 16, additionalProperties: false },
);
const exactly = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

type BlobRange = readonly [number, number];
const exact = (count: number): BlobRange => [count, count];

const call = <Ask extends TProperties, Reply extends TProperties>(
  ask: Ask,
  reply: Reply,
  { ask: askBlobs = exact(0), reply: replyBlobs = exact(0) }: { ask?: BlobRange; reply?: BlobRange } = {},
) => ({ ask: exactly(ask), reply: exactly(reply), askBlobs, replyBlobs });

/** A person's device or passkey that signed in the session and that more than a face has vouched for. `isNew`: see NEW_FOR_MS. */
const vouched = exactly({
  device: name,
  person: name,
  isNew: Type.Optional(Type.Boolean()),
});

export const MAX_RENEWED = 256;
export const MAX_PACKED = 128;

/** Every call that either side accepts. No reply has a field for a secret key or a score. */
export const CALLS = {
  hello: call({}, {}, { reply: exact(1) }), // its public key
  openChallenge: call(
    {
      customer: name,
      purpose: Type.Enum(['enrol', 'identify', 'verify']),
      session: name,
      sessionHandle: Type.Optional(name),
      address: name,
      vouched: Type.Optional(vouched),
    },
    { challenge: id, expiresAt: Type.Number() },
    { reply: exact(3) }, // the public key, its signature, and the key that verifies it
  ),
  begin: call(
    {
      challenge: id,
      about: exactly({
        person: Type.Optional(name),
        modelVersion: name,
        facts: Type.Optional(facts),
      }),
    },
    { shape: Type.Enum(['ok', 'malformed']) },
    { ask: exact(1) }, // the shape of the probe
  ),
  rows: call({ challenge: id, epoch: id, count }, {}, { ask: exact(1) }),
  // Asks with the masked probe under the key of the challenge. Replies with its folded first polynomial under another key.
  fold: call({ challenge: id, epoch: id }, {}, { ask: exact(1), reply: exact(1) }),
  blocks: call({ challenge: id, epoch: id, count }, {}, { ask: exact(2) }), // the blocks' rows, and their common part
  finish: call({ challenge: id }, { best: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]) }),
  // Asks with the masked body under the key of the challenge and a share of the draw. Replies with its first polynomial under the
  // enrollment key and the other share.
  adopt: call({ challenge: id }, { epoch: id }, { ask: exact(1), reply: exact(1) }),
  settle: call(
    { challenge: id, person: Type.Union([name, Type.Null()]) },
    { settlement: Type.Enum(['settled', 'locked']) },
  ),
  rotate: call({ customer: name }, { from: id, to: id }),
  renew: call({ customer: name, from: id, to: id }, {}, { ask: [0, MAX_RENEWED], reply: [0, MAX_RENEWED] }),
  // Asks with masked bodies, four for each block, and as many balances. Replies without blocks if a body is out of balance.
  pack: call(
    { customer: name, epoch: id },
    { unbalanced: Type.Optional(count) },
    { ask: [0, 2 * MAX_PACKED], reply: [0, MAX_PACKED / BLOCK_PEOPLE] },
  ),
  retire: call({ customer: name, epoch: id }, {}),
};

export type CallName = keyof typeof CALLS;
export type CallRequest<C extends CallName> = AllowUndefined<Static<(typeof CALLS)[C]['ask']>>;
export type CallReply<C extends CallName> = Static<(typeof CALLS)[C]['reply']>;

type AllowUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

export interface Refusal {
  code: 'throttled' | 'locked' | 'challenge' | 'epoch' | 'failed';
  retryAfter?: number;
  detail?: string;
}

export type ReplyMessage = { id: number; blobs: Uint8Array[] } & ({ reply: unknown } | { refusal: Refusal });

const CHECKS = new Map(
  Object.entries(CALLS).map(([call, { ask, reply }]) => [call, { ask: compileCheck(ask), reply: compileCheck(reply) }]),
);

export function isCall(call: unknown): call is CallName {
  return typeof call === 'string' && CHECKS.has(call);
}

export function isAsk<C extends CallName>(call: C, ask: unknown, blobs: readonly unknown[]): ask is CallRequest<C> {
  return fits(blobs, CALLS[call].askBlobs) && CHECKS.get(call)!.ask(ask);
}

export function isReply<C extends CallName>(call: C, reply: unknown, blobs: readonly unknown[]): reply is CallReply<C> {
  return fits(blobs, CALLS[call].replyBlobs) && CHECKS.get(call)!.reply(reply);
}

function fits(blobs: readonly unknown[], [least, most]: readonly [number, number]): boolean {
  return blobs.length >= least && blobs.length <= most && blobs.every((blob) => blob instanceof Uint8Array);
}
