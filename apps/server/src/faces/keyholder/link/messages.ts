// The messages between service and key-holder: what each call carries in both directions, and nothing beside it.
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { type Static, type TSchema, Type } from 'typebox';
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
const exactly = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

/** A device or passkey of this person has signed in the session, and more than a face has vouched for it. */
const vouched = exactly({
  device: name,
  person: name,
  /** Whether the person enrolled less than NEW_FOR_MS ago. */
  isNew: Type.Optional(Type.Boolean()),
});

interface CallShape {
  ask: TSchema;
  reply: TSchema;
  /** Bytes that go with it: how many parts, at least and at most. */
  askBlobs: readonly [least: number, most: number];
  replyBlobs: readonly [least: number, most: number];
}

/** Most bodies of one `renew`: 3.4 MB. */
export const MAX_RENEWED = 256;
/** And of one `pack`: 3.8 MB with their balances. */
export const MAX_PACKED = 128;

/** Everything that either side accepts. A reply has no field in which a secret key or a score could travel. */
export const CALLS = {
  hello: { ask: exactly({}), reply: exactly({}), askBlobs: [0, 0], replyBlobs: [1, 1] }, // its public key
  openChallenge: {
    ask: exactly({
      customer: name,
      purpose: Type.Enum(['enrol', 'identify', 'verify']),
      session: name,
      /** Names the session in the audit, as a person's handle names the person. It is deleted with the session. */
      sessionHandle: Type.Optional(name),
      /** Digest of the address, computed by the service. */
      address: name,
      vouched: Type.Optional(vouched),
    }),
    reply: exactly({ challenge: id, expiresAt: Type.Number() }),
    askBlobs: [0, 0],
    replyBlobs: [3, 3], // the public key, its signature, and the public key that checks this one
  },
  begin: {
    ask: exactly({
      challenge: id,
      about: exactly({
        /** Person to compare with, for `verify`. */
        person: Type.Optional(name),
        modelVersion: name,
        facts: Type.Optional(facts),
      }),
    }),
    reply: exactly({ shape: Type.Enum(['ok', 'malformed']) }),
    askBlobs: [1, 1], // the shape of the probe
    replyBlobs: [0, 0],
  },
  rows: {
    ask: exactly({ challenge: id, epoch: id, count }),
    reply: exactly({}),
    askBlobs: [1, 1],
    replyBlobs: [0, 0],
  },
  fold: {
    ask: exactly({ challenge: id, epoch: id }),
    reply: exactly({}),
    askBlobs: [1, 1], // the probe under the key of the challenge, masked
    replyBlobs: [1, 1], // its first polynomial, folded, under another key
  },
  blocks: {
    ask: exactly({ challenge: id, epoch: id, count }),
    reply: exactly({}),
    askBlobs: [2, 2], // the blocks' rows, and what they have in common
    replyBlobs: [0, 0],
  },
  finish: {
    ask: exactly({ challenge: id }),
    reply: exactly({ best: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]) }),
    askBlobs: [0, 0],
    replyBlobs: [0, 0],
  },
  adopt: {
    ask: exactly({ challenge: id }),
    reply: exactly({ epoch: id }),
    askBlobs: [1, 1], // the body under the key of the challenge, masked, and a share of the draw
    replyBlobs: [1, 1], // its first polynomial under the enrol key, and the other share
  },
  settle: {
    ask: exactly({ challenge: id, person: Type.Union([name, Type.Null()]) }),
    reply: exactly({ settlement: Type.Enum(['settled', 'locked']) }),
    askBlobs: [0, 0],
    replyBlobs: [0, 0],
  },
  rotate: {
    ask: exactly({ customer: name }),
    reply: exactly({ from: id, to: id }),
    askBlobs: [0, 0],
    replyBlobs: [0, 0],
  },
  renew: {
    ask: exactly({ customer: name, from: id, to: id }),
    reply: exactly({}),
    askBlobs: [0, MAX_RENEWED],
    replyBlobs: [0, MAX_RENEWED], // the same for each body that was sent, under the new key
  },
  pack: {
    ask: exactly({ customer: name, epoch: id }),
    reply: exactly({ unbalanced: Type.Optional(count) }),
    askBlobs: [0, 2 * MAX_PACKED], // masked bodies, four for each block, and as many balances
    replyBlobs: [0, MAX_PACKED / BLOCK_PEOPLE], // none where one is out of balance
  },
  retire: {
    ask: exactly({ customer: name, epoch: id }),
    reply: exactly({}),
    askBlobs: [0, 0],
    replyBlobs: [0, 0],
  },
} as const satisfies Record<string, CallShape>;

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
