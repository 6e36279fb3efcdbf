// The biometric node: enrols, predicts and deletes people of an owner, one gallery per model version and length.
import { NODE_STATUS } from '@limen/contract';
import { nameOf, type Owner } from '../../platform/api-keys/owner.ts';
import { isDiskFull, isUnavailable } from '../../platform/base/database-failures.ts';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import { isUuid, type Puid } from '../../platform/base/ids.ts';
import type { Core } from '../../platform/core.ts';
import type { Idempotency, IdempotentRequest, Repeatable } from '../../platform/idempotency/idempotency.ts';
import { defineJob, GiveUp, JobFailed, type JobRun, LeaseLost } from '../../platform/jobs/job.ts';
import { meanDirection, vectorFromBytes, vectorToBytes } from '../galleries/face-vectors.ts';
import type { Enrolment, Identified, People } from '../galleries/people.ts';
import { ENROL_ATTEMPTS, restAfterAttemptMs } from '../limits.ts';
import { isSignInVersion } from '../tokens/parts.ts';
import type { NodeCaller } from './access.ts';
import { keepUsable } from './read-request.ts';
import { NodeRefusal, unprovenClient } from './replies.ts';

/** For the metrics. */
const OUTCOMES = [
  'enroll_new',
  'enroll_known',
  'enroll_unusable',
  'enroll_failed',
  'predict_recognized',
  'predict_unknown',
  'predict_unusable',
  'delete_done',
  'delete_unknown',
] as const;

interface EnrolPayload {
  /** The gallery's last change before it; see ConflictError. */
  since: number;
  owner: Owner;
  modelVersion: string;
  /** Unit vectors, floats in base64. */
  vectors: string[];
  identifierDigest?: string;
  repeatable?: Repeatable;
}

/** What failed for good is not kept, for it is a face. */
const enrolJob = defineJob<EnrolPayload, Enrolment>('people.enrol', {
  maxAttempts: ENROL_ATTEMPTS,
  backoffMs: restAfterAttemptMs,
  keepDead: false,
});

export interface FaceRequest {
  caller: NodeCaller;
  modelVersion: string;
  /** As they came; what is not usable is left out. */
  vectors: number[][];
  /** The caller's own name for the person. */
  identifier?: string | undefined;
}

export interface EnrolRequest extends FaceRequest {
  repeatable?: Repeatable | undefined;
  correlationId?: string | undefined;
}

export interface PredictRequest extends FaceRequest {
  k: number;
}

export type BiometricNode = ReturnType<typeof createBiometricNode>;

interface NodeNeighbors extends Pick<Core, 'jobs' | 'idempotency'> {
  people: People;
}

export function createBiometricNode({ people, jobs, idempotency }: NodeNeighbors) {
  jobs.handle(enrolJob, createEnrolmentRunner(people, idempotency));
  const outcomes = new Map(OUTCOMES.map((outcome) => [outcome, 0]));
  const count = (outcome: (typeof OUTCOMES)[number]) => void outcomes.set(outcome, outcomes.get(outcome)! + 1);

  return {
    /** How often each came about since the start. */
    outcomes: () => outcomes,

    /** Nothing when no embedding was usable. */
    async enroll({
      caller,
      modelVersion,
      vectors,
      identifier,
      repeatable,
      correlationId,
    }: EnrolRequest): Promise<Enrolment | undefined> {
      const owner = reach(caller, modelVersion);
      const usable = keepUsable(vectors);
      if (usable.length === 0) {
        count('enroll_unusable');
        return undefined;
      }
      const payload: EnrolPayload = {
        since: await people.lastChange(owner, modelVersion, usable[0]!.length),
        owner,
        modelVersion,
        vectors: usable.map((vector) => vectorToBytes(vector).toString('base64')),
        ...(identifier !== undefined && {
          identifierDigest: people.digestIdentifier(owner, identifier).toString('base64'),
        }),
        ...(repeatable && { repeatable }),
      };
      const request = idempotentRequestOf(payload);
      const before = request && (await idempotency.find<Enrolment>(request));
      if (before) return before;
      try {
        const fields = correlationId === undefined ? {} : { correlationId };
        const enrolment = await jobs.perform(enrolJob, payload, fields);
        count(enrolment.isNew ? 'enroll_new' : 'enroll_known');
        return enrolment;
      } catch (error) {
        count('enroll_failed');
        throw toRefusal(error);
      }
    },

    /** Nothing when no embedding was usable. */
    async predict({ caller, modelVersion, vectors, identifier, k }: PredictRequest): Promise<Identified | undefined> {
      const owner = reach(caller, modelVersion);
      const probe = meanDirection(keepUsable(vectors));
      if (!probe) {
        count('predict_unusable');
        return undefined;
      }
      const identifierDigest = identifier === undefined ? undefined : people.digestIdentifier(owner, identifier);
      const identified = await people.identify({ owner, modelVersion, vector: probe, k, identifierDigest });
      count(identified.matches.length > 0 ? 'predict_recognized' : 'predict_unknown');
      return identified;
    },

    /** False when the owner has no such person, or the caller may not reach them. */
    async deleteUser(caller: NodeCaller, puid: Puid): Promise<boolean> {
      const mayReach = (modelVersion: string) => mayReachGallery(caller, modelVersion);
      const deleted = isUuid(puid) && (await people.remove(caller.owner, puid, mayReach));
      count(deleted ? 'delete_done' : 'delete_unknown');
      return deleted;
    },
  };
}

function createEnrolmentRunner(people: People, idempotency: Idempotency) {
  return runEnrolment;

  /** Idempotent by nature: a face that an earlier attempt enrolled is found again, and the job ends with the person. */
  async function runEnrolment(payload: EnrolPayload, run: JobRun): Promise<Enrolment> {
    const request = idempotentRequestOf(payload);
    const candidate = {
      // A run that another process took over: the caller is gone, and may have repeated and deleted meanwhile.
      unlessRemovedSince: run.isAwaited ? undefined : payload.since,
      owner: payload.owner,
      modelVersion: payload.modelVersion,
      vectors: payload.vectors.map((text) => vectorFromBytes(Buffer.from(text, 'base64'))),
      identifierDigest:
        payload.identifierDigest === undefined ? undefined : Buffer.from(payload.identifierDigest, 'base64'),
    };
    try {
      return await people.enrol(candidate, async (trx, enrolment) => {
        const resource = `people/${enrolment.personId}`;
        if (request && !(await idempotency.remember(trx, request, enrolment, resource))) throw new TwinWasFirst();
        try {
          await run.complete(trx);
        } catch (error) {
          // The job was ended before, with this very person: by an attempt whose commit was done and its answer lost.
          if (!(error instanceof LeaseLost) || enrolment.isNew) throw error;
        }
      });
    } catch (error) {
      if (error instanceof TwinWasFirst && request) return findTwin(request);
      if (error instanceof ConflictError) throw new GiveUp(error.name, error);
      throw unlessTransient(error);
    }
  }

  async function findTwin(request: IdempotentRequest): Promise<Enrolment> {
    try {
      const reply = await idempotency.find<Enrolment>(request);
      if (reply) return reply;
    } catch (error) {
      throw unlessTransient(error);
    }
    throw new TwinWasFirst(); // and is gone again: another attempt
  }
}

/** Of the galleries of verification sessions, callers who have not proved to be the key's client see nothing. */
function mayReachGallery({ isProven }: NodeCaller, modelVersion: string): boolean {
  return isProven || !isSignInVersion(modelVersion);
}

function reach(caller: NodeCaller, modelVersion: string): Owner {
  if (!mayReachGallery(caller, modelVersion)) throw unprovenClient();
  return caller.owner;
}

/** What another attempt cannot mend ends the job at once. */
function unlessTransient(error: unknown): unknown {
  return error instanceof AppError && error.code !== 'unavailable' ? new GiveUp(error.code, error) : error;
}

/** A request with the same Idempotency-Key committed while this one was searching. */
class TwinWasFirst extends Error {
  override readonly name = 'TwinWasFirst';
}

function idempotentRequestOf({ owner, repeatable }: EnrolPayload): IdempotentRequest | undefined {
  return repeatable && { operation: 'node.enroll', owner: nameOf(owner), ...repeatable };
}

function toRefusal(error: unknown): unknown {
  if (!(error instanceof JobFailed)) return error;
  const { cause } = error;
  if (cause instanceof GiveUp && cause.cause instanceof AppError) return cause.cause;
  // Has a reply of its own that says when to try again, unlike status 152.
  if (cause instanceof AppError || isUnavailable(cause) || isDiskFull(cause)) return cause;
  if (cause instanceof LeaseLost) {
    return new AppError('unavailable', 'The enrolment took too long here and is being done elsewhere; send it again.', {
      headers: { 'retry-after': '1' },
    });
  }
  return new NodeRefusal(
    'internal_error',
    NODE_STATUS.enrollmentFailed,
    `Face enrollment failed after ${ENROL_ATTEMPTS} attempts; try again later.`,
  );
}
