// What the rest of the service asks of face tokens: challenges, enrolment, sign-in, and what becomes of their people.
import type { Owner } from '../../platform/api-keys/owner.ts';
import type { CustomerId, PersonId, Puid, SessionId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Confirmed } from '../galleries/store/provisional-people.ts';

export type TokenPurpose = 'enrol' | 'identify' | 'verify';
export type TokenFacts = Record<string, string | number | boolean>;

export interface ChallengeAsk {
  owner: Owner;
  purpose: TokenPurpose;
  session: SessionId;
  /** Known to the service alone, and gone with the session. */
  sessionSecret: string;
  /** Where the call came from, as `clientAddress` gives it. */
  address: string;
  /** A device of this person that more than a face has spoken for, or such a passkey, has signed in the session. */
  vouchedBy?: { personId: PersonId; deviceId: string } | undefined;
}

export interface TokenChallenge {
  challenge: string;
  publicKey: Uint8Array;
  /** The key-holder's, over the terms of the challenge. */
  signature: Uint8Array;
  /** The key-holder's public key. */
  identity: Uint8Array;
  expiresAt: number;
  modelId: string;
}

export interface TokenPerson {
  personId: PersonId;
  puid: Puid;
  guid: string;
}

export interface EnrolAsk {
  owner: Owner;
  session: SessionId;
  challenge: string;
  /** Header and body, as the device sent it. */
  probe: Uint8Array;
  /** For the audit log of the key-holder. */
  facts?: TokenFacts | undefined;
}

export interface IdentifyAsk extends EnrolAsk {
  /** Id of the one person to compare with; without it everybody of the owner. */
  among?: PersonId | undefined;
}

/** The device sent something that no honest one sends; the log says what. */
interface Malformed {
  kind: 'malformed';
}

/** `known` when another session has made the person, whether that has ended or not, and whether they are locked or not. */
export type EnrolOutcome = ({ kind: 'new' | 'known' } & TokenPerson) | Malformed;
export type IdentifyOutcome = ({ kind: 'match' } & TokenPerson) | { kind: 'no_match' } | Malformed;

export interface RenewalProgress {
  owner: Owner;
  renewed: number;
  total: number;
}

export interface RenewalReport {
  /** Customers, one that has people in both worlds twice. */
  customers: number;
  renewed: number;
  /** Epochs whose secret the key-holder has deleted. */
  retired: number;
  /** Tokens whose key the key-holder does not have, or that do not open: they no longer match anybody. */
  lost: number;
  /** Of the renewed ones, those that have been renewed more often than scores in blocks allow. */
  worn: number;
}

/**
 * Face tokens. Calls pass on the key-holder's refusals (`Throttled`, `PersonLocked`, …) and may
 * throw `QueueFullError`.
 */
export interface FaceTokens {
  openChallenge(ask: ChallengeAsk): Promise<TokenChallenge>;
  /** Finds the person whose face it is, or makes one who counts only for other enrolments until `confirm`. */
  enrol(ask: EnrolAsk): Promise<EnrolOutcome>;
  identify(ask: IdentifyAsk): Promise<IdentifyOutcome>;
  /** A confirmed person with a token. */
  findPerson(owner: Owner, puid: Puid): Promise<TokenPerson | undefined>;
  /** The same by the id of the row, as devices and passkeys have it. */
  findPersonById(owner: Owner, personId: PersonId): Promise<TokenPerson | undefined>;
  /** First in every transaction that ends a session or deletes it. */
  lockFor(trx: Transaction, session: SessionId): Promise<void>;
  /** In the transaction that ends an enrolment well; undefined when the person is gone. */
  confirm(trx: Transaction, session: SessionId, personId: PersonId): Promise<Confirmed | undefined>;
  /**
   * In the transaction that ends a sign-in well, before `sessions.end` names the person: whoever deletes them then
   * waits for this transaction and finds the session. False when they are gone or not confirmed.
   */
  hold(trx: Transaction, personId: PersonId): Promise<boolean>;
  /** In the transaction of any other end: deletes the person it enrolled, unless another session has or does too. */
  discard(trx: Transaction, ...sessions: SessionId[]): Promise<void>;
  /** Moves every token to a new key; begins where an earlier run stopped. */
  renewAll(
    wanted: { customer?: CustomerId | undefined; world?: World | undefined },
    onProgress: (progress: RenewalProgress) => void,
    signal: AbortSignal,
  ): Promise<RenewalReport>;
  /** Puts people who are in no block into blocks, where there are many; how many blocks were made. */
  packAll(signal: AbortSignal): Promise<number>;
  /** Throws `store_full` when nobody new can be enrolled. */
  checkRoom(owner: Owner): Promise<void>;
  /** Makes the gallery when there is none. */
  galleryGuid(owner: Owner): Promise<string>;
  /** After a person was deleted: resolves when this process's memory has none of their tokens. */
  settle(galleryId: string): Promise<void>;
  /** Reads what is there, in the background; searches that come meanwhile wait for what they need. */
  load(): Promise<void>;
  /** What it is still doing, or `ready`. */
  state(): string;
  close(): Promise<void>;
}
