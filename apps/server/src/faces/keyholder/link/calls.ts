// What the service may ask of the key-holder, and how it is refused. Neither a secret key nor a score is among the answers.
import type { BlindedBlocks, BlindedRows, BlindedShape } from '@limen/token/shared';
import type { AskOf, ReplyOf } from './messages.ts';

export type ChallengeRequest = AskOf<'openChallenge'>;
export type VouchingDevice = NonNullable<ChallengeRequest['vouched']>;
export type AboutAttempt = AskOf<'begin'>['about'];
export type EpochRotation = ReplyOf<'rotate'>;
export type Settlement = ReplyOf<'settle'>['settlement'];

/**
 * Names a person or a device of theirs to the key-holder: made from a key that is deleted with the person. The key-holder
 * counts and writes by what it derives from handles, and keeps none of them.
 */
export type Handle = string;

/** What an operator sets of the answers in an hour. */
export interface BudgetsPerHour {
  /** Answers to one customer's sign-ins and verifications; those through one address, and those about one person. */
  sign_in: number;
  sign_in_address: number;
  sign_in_person: number;
  /** Answers to one customer's enrolments, and enrolments through one address. */
  enrol: number;
  enrol_address: number;
}

export interface OpenedChallenge {
  challenge: string;
  publicKey: Uint8Array;
  /** Over the terms of the challenge (`verifyChallenge` of @limen/token/device). */
  signature: Uint8Array;
  /** The key-holder's own public key. It says something to a device that knows it from elsewhere, and only to that one. */
  identity: Uint8Array;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** What a masked body became under the customer's present enrol key, still masked. */
export interface Adopted {
  epoch: string;
  body: Uint8Array;
}

/** The blocks, or the position of the first token that is out of balance. */
export type Packed = { blocks: Uint8Array[] } | { unbalanced: number };

export interface KeyHolder {
  /** Its public key. */
  identity(): Promise<Uint8Array>;
  /** A session has one challenge that was not begun: the next one takes its place. */
  openChallenge(ask: ChallengeRequest): Promise<OpenedChallenge>;
  /** Uses the challenge up: a second call is refused. One that the throttle refuses leaves it open. */
  begin(challenge: string, about: AboutAttempt, probe: BlindedShape): Promise<'ok' | 'malformed'>;
  /**
   * Rows of one epoch, and truly of that one: a row under another key scores at random, and one in four would match. Calls
   * count in the order in which they are made; there is no need to wait between them.
   */
  rows(challenge: string, epoch: string, rows: BlindedRows): Promise<void>;
  /**
   * Folds a masked probe to compare it with the blocks of one epoch, once for each: its first polynomial under a key of
   * its own, still masked.
   */
  fold(challenge: string, epoch: string, masked: Uint8Array): Promise<Uint8Array>;
  /** As `rows`, with the people of blocks who count, in their order. After `fold` for that epoch. */
  blocks(challenge: string, epoch: string, blocks: BlindedBlocks): Promise<void>;
  /**
   * The position of the best row over all `rows` and `blocks` calls, if it is good enough and, for `identify`, stands out; else null. For
   * `enrol` MAX_LATE_ROWS more may follow, and `finish` be called again. Throws Throttled when the customer has had as many
   * answers in this hour as there are, and PersonLocked for `verify` of somebody who is locked, whosever face it was: nothing
   * but that was decided then, and the challenge is used up all the same.
   */
  finish(challenge: string): Promise<{ best: number | null }>;
  /**
   * Encrypts a masked probe from the key of the challenge to the customer's enrol key, which is made at first need. Once,
   * for `enrol`, and only while no rows have come since the last answer of `finish`. Where that was that somebody was found,
   * it takes as long and gives zeros.
   */
  adopt(challenge: string, masked: Uint8Array): Promise<Adopted>;
  /**
   * Ends the challenge, after the service knows whose row it was and has stored what it stores: until then (or until the
   * challenge's time is over) a rotation waits for what was adopted. `locked` when `identify` found a person who is: to the
   * device that must look as if nobody had been found.
   */
  settle(challenge: string, person: Handle | null): Promise<Settlement>;
  /**
   * A new epoch, once what was adopted under the old one is stored. The old key is kept until `retire`; while there
   * is one, this gives the same pair again, so that an interrupted renewal goes on.
   */
  rotate(customer: string): Promise<EpochRotation>;
  renew(customer: string, from: string, to: string, masked: Uint8Array[]): Promise<Uint8Array[]>;
  /**
   * Four masked tokens of an epoch each time become a block, still masked. `balances` (of `Evaluator.balance`, one for each)
   * show that none is longer once it is folded; if one is, nothing is packed. Which one that is counts as an answer to a
   * sign-in: it is a decision about the customer's key. Throws Throttled when there are no more of these in this hour.
   */
  pack(customer: string, epoch: string, masked: Uint8Array[], balances: Uint8Array[]): Promise<Packed>;
  /** Deletes the old secret. The present epoch is refused. */
  retire(customer: string, epoch: string): Promise<void>;
  /** `ready`, or why it is not, in a few words for an operator. */
  state(): string;
  close(): Promise<void>;
}

/** The key-holder does not answer. Nothing was decided; the same call may work later. */
export class KeyHolderUnavailable extends Error {
  override readonly name = 'KeyHolderUnavailable';
}

export class Throttled extends Error {
  override readonly name: string = 'Throttled';
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super(`too many refused attempts; again in ${retryAfter} s`);
    this.retryAfter = retryAfter;
  }
}

/** The person who was asked for is locked; the face was compared, and what came of it is told to nobody. */
export class PersonLocked extends Throttled {
  override readonly name = 'PersonLocked';
}

export type ChallengeProblem = 'unknown' | 'used' | 'expired';

export class ChallengeRefused extends Error {
  override readonly name = 'ChallengeRefused';
  readonly reason: ChallengeProblem;

  constructor(reason: ChallengeProblem) {
    super(`the challenge is ${reason}`);
    this.reason = reason;
  }
}

/** The key-holder has no key of this epoch for the customer: it was retired, or never was theirs. */
export class UnknownEpoch extends Error {
  override readonly name = 'UnknownEpoch';
}
