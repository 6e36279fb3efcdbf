// What the calls of a session's device have shown so far: kept sealed until the end, and good for one plan only.
import type { PasskeyReply, TokenReply } from '@limen/contract';
import type { NewPasskey } from '../../core/passkeys/passkeys.ts';
import type { SessionPerson } from './rules.ts';

/** One call and its reply, so that the same call again, after a lost reply, is not done twice. */
interface Answered<Reply> {
  /** SHA-256 of the body. */
  digest: string;
  reply: Reply;
}

export interface FoundPerson extends SessionPerson {
  /** Where the face was compared. */
  by: 'server' | 'local';
  /** The device that came along with the face and becomes theirs at a good end. */
  deviceId?: string;
}

/** A passkey that was used, or one that was made for the person found then. */
export type ShownPasskey = { personId: string; credentialId: string } | { personId: string; made: NewPasskey };

export interface Evidence {
  /** Of the plan. A handoff makes another: what the device before has shown does not count for this one. */
  nonce: string;
  /** Challenges that were opened and tries that were made, over all devices of the session. */
  challenges: number;
  tries: number;
  /** Passkey options given out and answers to them, in the same way; and selfies that were sent. */
  passkeyAttempts: number;
  passkeyTries: number;
  selfies: number;
  /** Opened at the key-holder and not used yet. */
  challenge?: string;
  /** Digest of the token call that is being worked on. */
  running?: string;
  lastToken?: Answered<TokenReply>;
  person?: FoundPerson;
  /** A device that signed as a known one of this person. */
  knownDevice?: { deviceId: string; personId: string };
  /** Seconds, from the last time that attempts were throttled. */
  retryAfter?: number;
  /** Number of the passkey options that were given out last and not answered yet. */
  passkeyOpen?: number;
  /** Digest of the passkey call that is being worked on. */
  passkeyRunning?: string;
  lastPasskey?: Answered<PasskeyReply>;
  passkey?: ShownPasskey;
}

/** Evidence for this plan; of another plan's only the counts go on, so that a handoff gives nobody more tries. */
export function evidenceFor(nonce: string, kept: Evidence | undefined): Evidence {
  if (kept?.nonce === nonce) return kept;
  const { challenges = 0, tries = 0, passkeyAttempts = 0, passkeyTries = 0, selfies = 0 } = kept ?? {};
  return { nonce, challenges, tries, passkeyAttempts, passkeyTries, selfies };
}

/** Without these fields: undefined ones would be sealed as if they were there. */
export function without<K extends keyof Evidence>(evidence: Evidence, ...fields: readonly K[]): Omit<Evidence, K> {
  const rest: Evidence = { ...evidence };
  for (const field of fields) delete rest[field];
  return rest;
}

/** A passkey that was made for somebody else than the person who is found now is nobody's. */
export function dropForeignPasskey(evidence: Evidence): Evidence {
  const { passkey, person } = evidence;
  if (!passkey || !('made' in passkey) || passkey.personId === person?.personId) return evidence;
  return without(evidence, 'passkey', 'lastPasskey');
}
