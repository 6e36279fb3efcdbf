// The messages between service and key-holder: what each call carries in both directions, and nothing beside it.
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { type Static, type TProperties, Type } from 'typebox';
import { compileCheck } from '../../../platform/json/compile-check.ts';

/** Digests, ids and names; far more than any of ours needs. */
const name = Type.String({ minLength: 1, maxLength: 256 });
const id = Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' });
const count = Type.Integer({ minimum: 0, maximum: 1_000_000 });
/** For the audit line, such as facts of the sensor: a few short values, nothing personal, at most 4 KB. */
const facts = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_.-]{1,32}$' }),
  Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 16, additionalProperties: false },
);
const exactly = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

/** Blobs of a message: so many, or from the first number to the second. */
type BlobCount = number | readonly [least: number, most: number];

const rangeOf = (count: BlobCount = 0) => (typeof count === 'number' ? ([count, count] as const) : count);

/** One call: the fields of question and reply, and how many blobs go with each. */
const call = <Ask extends TProperties, Reply extends TProperties>(
  ask: Ask,
  reply: Reply,
  blobs: { ask?: BlobCount; reply?: BlobCount } = {},
) => ({ ask: exactly(ask), reply: exactly(reply), askBlobs: rangeOf(blobs.ask), replyBlobs: rangeOf(blobs.reply) });

/** A device or passkey of this person has signed in the session, and more than a face has vouched for it. */
const vouched = exactly({
  device: name,
  person: name,
  /** Whether the person enrolled less than NEW_FOR_MS ago. */
  isNew: Type.Optional(Type.Boolean()),
});

/** Most bodies of one `renew`: 3.4 MB. */
export const MAX_RENEWED = 256;
/** And of one `pack`: 3.8 MB with their balances. */
export const MAX_PACKED = 128;

/** Everything that either side accepts. A reply has no field in which a secret key or a score could travel. */
export const CALLS = {
  hello: call({}, {}, { reply: 1 }), // its public key
  openChallenge: call(
    {
      customer: name,
      purpose: Type.Enum(['enrol', 'identify', 'verify']),
      session: name,
      /** Names the session in the audit, as a person's handle names the person. It is deleted with the session. */
      sessionHandle: Type.Optional(name),
      /** Digest of the address, computed by the service. */
      address: name,
      vouched: Type.Optional(vouched),
    },
    { challenge: id, expiresAt: Type.Number() },
    { reply: 3 }, // the public key, its signature, and the public key that checks this one
  ),
  begin: call(
    {
      challenge: id,
      about: exactly({
        /** Person to compare with, for `verify`. */
        person: Type.Optional(name),
        modelVersion: name,
        facts: Type.Optional(facts),
      }),
    },
    { shape: Type.Enum(['ok', 'malformed']) },
    { ask: 1 }, // the shape of the probe
  ),
  rows: call({ challenge: id, epoch: id, count }, {}, { ask: 1 }),
  // The probe under the key of the challenge, masked; its first polynomial, folded, under another key.
  fold: call({ challenge: id, epoch: id }, {}, { ask: 1, reply: 1 }),
  blocks: call({ challenge: id, epoch: id, count }, {}, { ask: 2 }), // the blocks' rows, and what they have in common
  finish: call({ challenge: id }, { best: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]) }),
  // The body under the key of the challenge, masked, and a share of the draw; its first polynomial under the enrol key, and the other
  // share.
  adopt: call({ challenge: id }, { epoch: id }, { ask: 1, reply: 1 }),
  settle: call(
    { challenge: id, person: Type.Union([name, Type.Null()]) },
    { settlement: Type.Enum(['settled', 'locked']) },
  ),
  rotate: call({ customer: name }, { from: id, to: id }),
  // Bodies, and each of them under the new key.
  renew: call({ customer: name, from: id, to: id }, {}, { ask: [0, MAX_RENEWED], reply: [0, MAX_RENEWED] }),
  // Masked bodies, four for each block, and as many balances. No block if a body is out of balance.
  pack: call(
    { customer: name, epoch: id },
    { unbalanced: Type.Optional(count) },
    { ask: [0, 2 * MAX_PACKED], reply: [0, MAX_PACKED / BLOCK_PEOPLE] },
  ),
  retire: call({ customer: name, epoch: id }, {}),
};

export type CallName = keyof typeof CALLS;
export type AskOf<C extends CallName> = AllowUndefined<Static<(typeof CALLS)[C]['ask']>>;
export type ReplyOf<C extends CallName> = Static<(typeof CALLS)[C]['reply']>;

/** An optional field may also be present and undefined: it does not travel. */
type AllowUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** A call as it travels. */
export interface AskMessage {
  id: number;
  call: string;
  ask: unknown;
  blobs: Uint8Array[];
}

export type RefusalCode = 'throttled' | 'locked' | 'challenge' | 'epoch' | 'failed';

/** How a call was refused. `detail` is the reason of a refused challenge; no sentence of an error travels. */
export interface Refusal {
  code: RefusalCode;
  retryAfter?: number;
  detail?: string;
}

export type ReplyMessage = { id: number; blobs: Uint8Array[] } & ({ reply: unknown } | { refusal: Refusal });

// Checks messages against the table of calls, on the side that receives them.
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
