// What the rest of the service asks of face tokens, and what comes of it.
import type { Owner } from '../../platform/api-keys/owner.ts';
import type { CustomerId, PersonId, Puid, SessionId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';

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

/** Owners whose tokens are renewed; all of them where nothing is named. */
export interface WantedOwners {
  customer?: CustomerId | undefined;
  world?: World | undefined;
}
