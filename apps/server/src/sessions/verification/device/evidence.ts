// Evidence that the device of a session has shown so far: sealed rows, one per session, deleted at its end.
import type { PasskeyReply, TokenReply } from '@limen/contract';
import type { PlanStep } from '@limen/plan';
import type { PersonId, SessionId } from '../../../platform/base/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { NewCredential } from '../../../platform/webauthn/ceremony.ts';
import { createSessionEvidence } from '../../device/session-evidence.ts';
import { refuseGone } from '../../device/store.ts';
import type { DeviceCalls } from '../../device/take-call.ts';
import { tables } from '../../tables.ts';
import type { Debug } from '../debug.ts';
import type { SessionPerson } from '../rules.ts';

/** One call and its reply, so that the same call again, after a lost reply, is not done twice. */
interface AnsweredCall<Reply> {
  /** SHA-256 of the body. */
  digest: string;
  reply: Reply;
}

export interface ShownPerson extends SessionPerson {
  /** Where the face was compared. */
  by: 'server' | 'local';
  /** The device that came along with the face and becomes theirs at a good end. */
  deviceId?: string;
}

/** A passkey that was used, and whether on the device that began the session; or one that was made for the person. */
export type ShownPasskey =
  | { personId: PersonId; credentialId: string; onFirstDevice?: boolean }
  | { personId: PersonId; made: NewCredential };

export interface ShownEvidence {
  /** Of the plan. A handoff makes another: of what the device before has shown only `carried` counts for this one. */
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
  lastToken?: AnsweredCall<TokenReply>;
  person?: ShownPerson;
  /** A device that signed as a known one of this person. */
  knownDevice?: { deviceId: string; personId: PersonId };
  /** Seconds, from the last time that attempts were throttled. */
  retryAfter?: number;
  /** Number of the passkey options that were given out last and not answered yet. */
  passkeyOpen?: number;
  /** Digest of the passkey call that is being worked on. */
  passkeyRunning?: string;
  lastPasskey?: AnsweredCall<PasskeyReply>;
  passkey?: ShownPasskey;
  /** What the device before has shown in steps that it finished: good while they stand as carried in the log. */
  carried?: ShownInSteps;
}

/** What the token step shows, and the passkey step. */
export type ShownInSteps = Pick<ShownEvidence, 'person' | 'knownDevice' | 'passkey'>;
type StepName = PlanStep['step'];

/** Returns evidence for this plan. Of another plan only the counts carry over, so that a handoff gives no more tries. */
export function evidenceFor(nonce: string, kept: ShownEvidence | undefined): ShownEvidence {
  if (kept?.nonce === nonce) return kept;
  const { challenges = 0, tries = 0, passkeyAttempts = 0, passkeyTries = 0, selfies = 0 } = kept ?? {};
  return { nonce, challenges, tries, passkeyAttempts, passkeyTries, selfies };
}

/** What counts now: of a step that the device before did, what was shown there, and of the others what is shown here. */
export function settle(evidence: ShownEvidence, carriedSteps: readonly StepName[]): ShownEvidence {
  const { carried = {} } = evidence;
  const ofToken = carriedSteps.includes('token') ? carried : evidence;
  const ofPasskey = carriedSteps.includes('passkey') ? carried : evidence;
  return {
    ...without(evidence, 'carried', 'person', 'knownDevice', 'passkey'),
    ...pickShown(ofToken, ['token']),
    ...pickShown(ofPasskey, ['passkey']),
  };
}

/** For the plan of the next device: the counts, and what was shown in the steps that it need not do. */
export function handOnEvidence(settled: ShownEvidence, nonce: string, steps: readonly StepName[]): ShownEvidence {
  const { nonce: _, ...rest } = settled;
  return { ...evidenceFor(nonce, { ...rest, nonce: '' }), carried: pickShown(settled, steps) };
}

function pickShown({ person, knownDevice, passkey }: ShownInSteps, steps: readonly StepName[]): ShownInSteps {
  return {
    ...(steps.includes('token') && { ...(person && { person }), ...(knownDevice && { knownDevice }) }),
    ...(steps.includes('passkey') && passkey && { passkey }),
  };
}

/** Without these fields: undefined ones would be sealed as if they were there. */
export function without<Shown extends Partial<ShownEvidence>, K extends keyof Shown>(
  evidence: Shown,
  ...fields: readonly K[]
): Omit<Shown, K> {
  const rest: Shown = { ...evidence };
  for (const field of fields) delete rest[field];
  return rest;
}

/**
 * What may speak for the person besides the face. A device speaks for the face that it was shown: one that came along from
 * the device before may be a photograph.
 */
export function listSpeaking(settled: ShownInSteps, carriedSteps: readonly StepName[]): ShownInSteps {
  return pickShown(settled, carriedSteps.includes('face') ? ['passkey'] : ['token', 'passkey']);
}

/** With the person whom it alone had spoken for; also where the device before has shown it. */
export function forgetKnownDevice(evidence: ShownEvidence, deviceId: string): ShownEvidence {
  const { carried } = evidence;
  return { ...dropKnownDevice(evidence, deviceId), ...(carried && { carried: dropKnownDevice(carried, deviceId) }) };
}

function dropKnownDevice<Shown extends ShownInSteps>(shown: Shown, deviceId: string): Shown {
  if (shown.knownDevice?.deviceId !== deviceId) return shown;
  const rest = { ...shown };
  delete rest.knownDevice;
  if (shown.person?.by === 'local') delete rest.person;
  return rest;
}

/** A passkey that was made for somebody else than the person who is found now is nobody's. */
export function dropForeignPasskey(evidence: ShownEvidence): ShownEvidence {
  const { passkey, person } = evidence;
  if (!passkey || !('made' in passkey) || passkey.personId === person?.personId) return evidence;
  return without(evidence, 'passkey', 'lastPasskey');
}

export function createEvidenceStore(database: Pick<Database, 'queries'>, sealer: Sealer) {
  const evidence = createSessionEvidence<ShownEvidence>(database, sealer, evidenceFor);
  return {
    ...evidence,

    /** Returns what counts at the end under the plan with this nonce; without one, only what was kept. */
    async settled(sessionId: SessionId, nonce: string | undefined, carried: readonly StepName[]) {
      const kept = await evidence.find(sessionId);
      return nonce === undefined ? (kept ?? {}) : settle(evidenceFor(nonce, kept), carried);
    },

    /** Returns the JPEG that came under this plan. */
    async findSelfie(trx: Transaction, sessionId: SessionId, nonce: string) {
      const row = await trx
        .selectFrom('session_selfies')
        .select('sealed')
        .where('session_id', '=', sessionId)
        .where('nonce', '=', nonce)
        .executeTakeFirst();
      return row && sealer.open(row.sealed, tables.session_selfies.places.sealed({ session_id: sessionId, nonce }));
    },

    /** Replaces an earlier selfie. Throws `ConflictError` when the session is gone. */
    async saveSelfie(trx: Transaction, sessionId: SessionId, nonce: string, jpeg: Uint8Array) {
      const sealed = sealer.seal(jpeg, tables.session_selfies.places.sealed({ session_id: sessionId, nonce }));
      await trx
        .insertInto('session_selfies')
        .values({ session_id: sessionId, nonce, sealed })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ nonce, sealed }))
        .execute()
        .catch(refuseGone);
    },

    /** With the selfie. */
    async remove(trx: Transaction, sessionId: SessionId) {
      await evidence.remove(trx, sessionId);
      await trx.deleteFrom('session_selfies').where('session_id', '=', sessionId).execute();
    },
  };
}

export type EvidenceStore = ReturnType<typeof createEvidenceStore>;

/** Parts that every call of a step uses. */
export interface StepParts {
  calls: DeviceCalls;
  evidence: EvidenceStore;
  debug: Debug;
}
