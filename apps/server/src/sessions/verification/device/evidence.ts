// Evidence that the devices of a session have shown: its rules, and its sealed rows.
import type { PasskeyReply, TokenReply } from '@limen/contract';
import type { PlanStep } from '@limen/plan';
import type { FaceTokens } from '../../../faces/tokens/open.ts';
import type { PersonId, SessionId } from '../../../platform/base/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { NewCredential } from '../../../platform/webauthn/ceremony.ts';
import { createSessionEvidence } from '../../device/session-evidence.ts';
import { refuseGone } from '../../device/store.ts';
import type { DeviceCalls } from '../../device/take-call.ts';
import type { PersonDevices } from '../../proofs/devices.ts';
import type { Passkeys } from '../../proofs/passkeys.ts';
import { tables } from '../../tables.ts';
import type { Debug } from '../debug.ts';
import type { SessionPerson } from '../rules.ts';

/** Reply to a call, for the same call again after a lost reply. */
interface AnsweredCall<Reply> {
  digest: string;
  reply: Reply;
}

export interface PersonEvidence extends SessionPerson {
  by: 'server' | 'local';
  /** Device that came along with the face and becomes the person's at a good end. */
  deviceId?: string;
}

/** A passkey that was used, or one that was made for the person. */
export type PasskeyEvidence =
  | { personId: PersonId; credentialId: string; onFirstDevice?: boolean }
  | { personId: PersonId; made: NewCredential };

export interface VerificationEvidence {
  /** Nonce of the plan. After a handoff, only `carried` of the previous device's evidence counts. */
  nonce: string;
  /** Counts over all devices of the session. */
  challenges: number;
  tries: number;
  passkeyAttempts: number;
  passkeyTries: number;
  selfies: number;
  /** Challenge that was opened at the key-holder and not used yet. */
  challenge?: string;
  running?: string;
  lastToken?: AnsweredCall<TokenReply>;
  person?: PersonEvidence;
  /** A device that signed as a known device of this person. */
  knownDevice?: { deviceId: string; personId: PersonId };
  /** Seconds, from the last time that attempts were throttled. */
  retryAfter?: number;
  /** Number of the last passkey options, until they are answered. */
  passkeyOpen?: number;
  passkeyRunning?: string;
  lastPasskey?: AnsweredCall<PasskeyReply>;
  passkey?: PasskeyEvidence;
  /** Evidence of the previous device, which counts for steps that the log has as carried. */
  carried?: StepEvidence;
}

export type StepEvidence = Pick<VerificationEvidence, 'person' | 'knownDevice' | 'passkey'>;
type StepName = PlanStep['step'];

/** Returns evidence for this plan. Only the counts carry over from another plan, so that a handoff gives no more tries. */
export function evidenceFor(nonce: string, kept: VerificationEvidence | undefined): VerificationEvidence {
  if (kept?.nonce === nonce) return kept;
  const { challenges = 0, tries = 0, passkeyAttempts = 0, passkeyTries = 0, selfies = 0 } = kept ?? {};
  return { nonce, challenges, tries, passkeyAttempts, passkeyTries, selfies };
}

/** Returns the evidence that counts now: for carried steps that of the previous device, for the others that of this one. */
export function settle(evidence: VerificationEvidence, carriedSteps: readonly StepName[]): VerificationEvidence {
  const { carried = {} } = evidence;
  const ofToken = carriedSteps.includes('token') ? carried : evidence;
  const ofPasskey = carriedSteps.includes('passkey') ? carried : evidence;
  return {
    ...without(evidence, 'carried', 'person', 'knownDevice', 'passkey'),
    ...pickShown(ofToken, ['token']),
    ...pickShown(ofPasskey, ['passkey']),
  };
}

/** Returns evidence for the plan of the next device: the counts, and the evidence of the steps that it can skip. */
export function handOnEvidence(
  settled: VerificationEvidence,
  nonce: string,
  steps: readonly StepName[],
): VerificationEvidence {
  const { nonce: _, ...rest } = settled;
  return { ...evidenceFor(nonce, { ...rest, nonce: '' }), carried: pickShown(settled, steps) };
}

function pickShown({ person, knownDevice, passkey }: StepEvidence, steps: readonly StepName[]): StepEvidence {
  return {
    ...(steps.includes('token') && { ...(person && { person }), ...(knownDevice && { knownDevice }) }),
    ...(steps.includes('passkey') && passkey && { passkey }),
  };
}

export function without<Shown extends Partial<VerificationEvidence>, K extends keyof Shown>(
  evidence: Shown,
  ...fields: readonly K[]
): Omit<Shown, K> {
  const rest: Shown = { ...evidence };
  for (const field of fields) delete rest[field];
  return rest;
}

/**
 * Returns the evidence that may vouch for the person besides the face. A known device vouches only for a face that it saw: a
 * carried face may be a photograph.
 */
export function listSpeaking(settled: StepEvidence, carriedSteps: readonly StepName[]): StepEvidence {
  return pickShown(settled, carriedSteps.includes('face') ? ['passkey'] : ['token', 'passkey']);
}

/** Removes a device, and the person that it alone vouched for, also from carried evidence. */
export function forgetKnownDevice(evidence: VerificationEvidence, deviceId: string): VerificationEvidence {
  const { carried } = evidence;
  return { ...dropKnownDevice(evidence, deviceId), ...(carried && { carried: dropKnownDevice(carried, deviceId) }) };
}

function dropKnownDevice<Shown extends StepEvidence>(shown: Shown, deviceId: string): Shown {
  if (shown.knownDevice?.deviceId !== deviceId) return shown;
  const rest = { ...shown };
  delete rest.knownDevice;
  if (shown.person?.by === 'local') delete rest.person;
  return rest;
}

/** Drops a passkey that was made for another person than the one found now. */
export function dropForeignPasskey(evidence: VerificationEvidence): VerificationEvidence {
  const { passkey, person } = evidence;
  if (!passkey || !('made' in passkey) || passkey.personId === person?.personId) return evidence;
  return without(evidence, 'passkey', 'lastPasskey');
}

export function createEvidenceStore(database: Pick<Database, 'queries'>, sealer: Sealer) {
  const evidence = createSessionEvidence<VerificationEvidence>(database, sealer, evidenceFor);
  return {
    ...evidence,

    /** Returns the evidence that counts at the end. Without a nonce it is returned as stored. */
    async settled(sessionId: SessionId, nonce: string | undefined, carried: readonly StepName[]) {
      const kept = await evidence.find(sessionId);
      return nonce === undefined ? (kept ?? {}) : settle(evidenceFor(nonce, kept), carried);
    },

    async findSelfie(trx: Transaction, sessionId: SessionId, nonce: string) {
      const row = await trx
        .selectFrom('session_selfies')
        .select('sealed')
        .where('session_id', '=', sessionId)
        .where('nonce', '=', nonce)
        .executeTakeFirst();
      return row && sealer.open(row.sealed, tables.session_selfies.places.sealed({ session_id: sessionId, nonce }));
    },

    /** Replaces an earlier selfie. Throws `ConflictError` if the session was deleted. */
    async saveSelfie(trx: Transaction, sessionId: SessionId, nonce: string, jpeg: Uint8Array) {
      const sealed = sealer.seal(jpeg, tables.session_selfies.places.sealed({ session_id: sessionId, nonce }));
      await trx
        .insertInto('session_selfies')
        .values({ session_id: sessionId, nonce, sealed })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ nonce, sealed }))
        .execute()
        .catch(refuseGone);
    },

    async remove(trx: Transaction, sessionId: SessionId) {
      await evidence.remove(trx, sessionId);
      await trx.deleteFrom('session_selfies').where('session_id', '=', sessionId).execute();
    },
  };
}

export type EvidenceStore = ReturnType<typeof createEvidenceStore>;

export interface StepParts {
  calls: DeviceCalls;
  evidence: EvidenceStore;
  tokens: FaceTokens;
  devices: PersonDevices;
  passkeys: Passkeys;
  debug: Debug;
}
