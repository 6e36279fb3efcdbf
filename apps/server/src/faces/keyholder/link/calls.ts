// The calls that the service may make to the key-holder, and its refusals. No answer contains a secret key or a score.
import type { BlindedBlocks, BlindedRows, BlindedShape } from '@limen/token/shared';
import type { CallReply, CallRequest } from './messages.ts';

export type ChallengeRequest = CallRequest<'openChallenge'>;
export type VouchingDevice = NonNullable<ChallengeRequest['vouched']>;
export type AttemptSubject = CallRequest<'begin'>['about'];
export type EpochRotation = CallReply<'rotate'>;
export type Settlement = CallReply<'settle'>['settlement'];

/** Name of a person or device, made from a key that is deleted with the person. Only its digests are stored. */
export type Handle = string;

export interface OpenedChallenge {
  challenge: string;
  publicKey: Uint8Array;
  signature: Uint8Array;
  /** The key-holder's own public key. It proves something only to a device that knows it already. */
  identity: Uint8Array;
  expiresAt: number;
}

/** A masked body under the customer's present enrollment key, still masked. */
export interface AdoptedPerson {
  epoch: string;
  body: Uint8Array;
}

export type PackedBlocks = { blocks: Uint8Array[] } | { unbalanced: number };

export interface KeyHolder {
  identity(): Promise<Uint8Array>;
  /** Replaces an unbegun challenge of the same session. */
  openChallenge(ask: ChallengeRequest): Promise<OpenedChallenge>;
  /** Uses the challenge up: a second call is refused. A call that the throttle refuses leaves it open. */
  begin(challenge: string, about: AttemptSubject, probe: BlindedShape): Promise<'ok' | 'malformed'>;
  /** Compares rows of one epoch, in the order of the calls. A row under another key would score at random, and often match. */
  rows(challenge: string, epoch: string, rows: BlindedRows): Promise<void>;
  /** Folds a masked probe, once per epoch, to compare it with blocks. Returns its first polynomial under a new key, still masked. */
  fold(challenge: string, epoch: string, masked: Uint8Array): Promise<Uint8Array>;
  /** Compares the counted people of blocks, as `rows` does. Requires `fold` for the epoch. */
  blocks(challenge: string, epoch: string, blocks: BlindedBlocks): Promise<void>;
  /** Returns the best row if it is good enough. Throws PersonLockedError for `verify` of a locked person, which uses the challenge up. */
  finish(challenge: string): Promise<{ best: number | null }>;
  /** Encrypts a masked probe under the customer's key, once per `enrol`. Returns zeros, in the same time, if someone was found. */
  adopt(challenge: string, masked: Uint8Array): Promise<AdoptedPerson>;
  /** Ends the challenge once the token is stored; a rotation waits for that. A device must see `locked` as no match. */
  settle(challenge: string, person: Handle | null): Promise<Settlement>;
  /** Begins a new epoch once adopted tokens of the old one are stored. Returns the same pair until `retire`. */
  rotate(customer: string): Promise<EpochRotation>;
  renew(customer: string, from: string, to: string, masked: Uint8Array[]): Promise<Uint8Array[]>;
  /** Packs masked tokens by fours. Packs none if a token would grow by folding; naming that one counts as an answer to a sign-in. */
  pack(customer: string, epoch: string, masked: Uint8Array[], balances: Uint8Array[]): Promise<PackedBlocks>;
  retire(customer: string, epoch: string): Promise<void>;
  state(): string;
  close(): Promise<void>;
}

/** The key-holder does not answer. Nothing was decided; the same call may work later. */
export class KeyHolderUnavailableError extends Error {
  override readonly name = 'KeyHolderUnavailableError';
}

export class ThrottledError extends Error {
  override readonly name: string = 'ThrottledError';
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super(`too many refused attempts; again in ${retryAfter} s`);
    this.retryAfter = retryAfter;
  }
}

/** The person asked for is locked. The face was compared, but the result is not reported. */
export class PersonLockedError extends ThrottledError {
  override readonly name = 'PersonLockedError';
}

export type ChallengeProblem = 'unknown' | 'used' | 'expired';

export class ChallengeRefusedError extends Error {
  override readonly name = 'ChallengeRefusedError';
  readonly reason: ChallengeProblem;

  constructor(reason: ChallengeProblem) {
    super(`the challenge is ${reason}`);
    this.reason = reason;
  }
}

/** The key-holder has no key of this epoch for the customer, or no longer. */
export class UnknownEpochError extends Error {
  override readonly name = 'UnknownEpochError';
}
