// Requests and outcomes of face tokens.
import type { Owner } from '../../platform/api-keys/owner.ts';
import type { CustomerId, PersonId, Puid, SessionId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';

export type TokenPurpose = 'enrol' | 'identify' | 'verify';

export interface ChallengeAsk {
  owner: Owner;
  purpose: TokenPurpose;
  session: SessionId;
  sessionSecret: string;
  address: string;
  /** Device or passkey of this person that more than a face has vouched for and that signed in the session. */
  vouchedBy?: { personId: PersonId; deviceId: string } | undefined;
}

export interface TokenPerson {
  personId: PersonId;
  puid: Puid;
  guid: string;
}

export interface EnrollAsk {
  owner: Owner;
  session: SessionId;
  challenge: string;
  probe: Uint8Array;
  facts?: Record<string, string | number | boolean> | undefined;
}

export interface IdentifyAsk extends EnrollAsk {
  /** The one person to compare with. Without it, everyone of the owner is compared. */
  among?: PersonId | undefined;
}

/** No honest device sends such a token. The log has the reason. */
interface MalformedToken {
  kind: 'malformed';
}

/** `known`: another session enrolled the person, whether or not it has ended, and whether or not the person is locked. */
export type EnrollOutcome = ({ kind: 'new' | 'known' } & TokenPerson) | MalformedToken;
export type IdentifyOutcome = ({ kind: 'match' } & TokenPerson) | { kind: 'no_match' } | MalformedToken;

export interface RenewalProgress {
  owner: Owner;
  renewed: number;
  total: number;
}

export interface RenewalReport {
  customers: number;
  renewed: number;
  retired: number;
  /** Tokens that do not open, or whose key the key-holder does not have: they match no one. */
  lost: number;
  /** Renewed tokens with more renewals than scores in blocks allow. */
  worn: number;
}

export interface GalleryOwnerFilter {
  customer?: CustomerId | undefined;
  world?: World | undefined;
}
