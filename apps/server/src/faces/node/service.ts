// The biometric node: enrolls, predicts and deletes people of an owner, with one gallery per model version and length.
import { NODE_STATUS } from '@limen/contract';
import { formatOwner, type Owner } from '../../platform/api-keys/owner.ts';
import { isDiskFull, isUnavailable } from '../../platform/base/database-failures.ts';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import { isUuid, type Puid } from '../../platform/base/ids.ts';
import type { Core } from '../../platform/core.ts';
import type { Idempotency, IdempotencyInput, IdempotentRequest } from '../../platform/idempotency/idempotency.ts';
import { defineJob, JobAbandonedError, JobFailedError, type JobRun, LeaseLostError } from '../../platform/jobs/job.ts';
import { meanDirection, vectorFromBytes, vectorToBytes } from '../galleries/face-vectors.ts';
import type { Enrollment, People } from '../galleries/people.ts';
import { ENROLL_ATTEMPTS, restAfterAttemptMs } from '../limits.ts';
import { isSignInVersion } from '../tokens/parts.ts';
import type { NodeCaller } from './access.ts';
import { keepUsable } from './read-request.ts';
import { NodeRefusalError } from './replies.ts';

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

interface EnrollPayload {
  /** Latest change of the gallery before the enrollment */
  since: number;
  owner: Owner;
  modelVersion: string;
  /** Unit vectors, as floats in base64 */
  vectors: string[];
  identifierDigest?: string;
  repeatable?: IdempotencyInput;
}

/** Dead jobs are not kept, because their payload is a face. */
const enrollJob = defineJob<EnrollPayload, Enrollment>('people.enrol', {
  maxAttempts: ENROLL_ATTEMPTS,
  backoffMs: restAfterAttemptMs,
  keepDead: false,
});

interface FaceRequest {
  caller: NodeCaller;
  modelVersion: string;
  /** Vectors as sent. Unusable ones are dropped. */
  vectors: number[][];
  identifier?: string | undefined;
}

interface EnrollRequest extends FaceRequest {
  repeatable?: IdempotencyInput | undefined;
  correlationId?: string | undefined;
}

export type BiometricNode = ReturnType<typeof createBiometricNode>;

export function createBiometricNode(people: People, jobs: Core['jobs'], idempotency: Idempotency) {
  jobs.handle(enrollJob, (payload, run) => runEnrollment(people, idempotency, payload, run));
  const outcomes = new Map(OUTCOMES.map((outcome) => [outcome, 0]));
  const count = (outcome: (typeof OUTCOMES)[number]) => void outcomes.set(outcome, outcomes.get(outcome)! + 1);

  return {
    outcomes: () => outcomes,

    /** Returns undefined if no embedding is usable. */
    async enroll({ caller, modelVersion, vectors, identifier, repeatable, correlationId }: EnrollRequest) {
      const owner = requireReach(caller, modelVersion);
      const usable = keepUsable(vectors);
      if (usable.length === 0) {
        count('enroll_unusable');
        return undefined;
      }
      const payload: EnrollPayload = {
        since: await people.lastChange(owner, modelVersion, usable[0]!.length),
        owner,
        modelVersion,
        vectors: usable.map((vector) => vectorToBytes(vector).toString('base64')),
        ...(identifier !== undefined && {
          identifierDigest: people.digestIdentifier(owner, identifier).toString('base64'),
        }),
        ...(repeatable && { repeatable }),
      };
      const request = toIdempotentRequest(payload);
      const earlier = request && (await idempotency.find<Enrollment>(request));
      if (earlier) return earlier;
      try {
        const enrollment = await jobs.perform(enrollJob, payload, correlationId === undefined ? {} : { correlationId });
        count(enrollment.isNew ? 'enroll_new' : 'enroll_known');
        return enrollment;
      } catch (error) {
        count('enroll_failed');
        throw toRefusal(error);
      }
    },

    /** Returns undefined if no embedding is usable. */
    async predict({ caller, modelVersion, vectors, identifier, k }: FaceRequest & { k: number }) {
      const owner = requireReach(caller, modelVersion);
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

    /** Returns false if the owner has no such person, or the caller may not reach them. */
    async deleteUser(caller: NodeCaller, puid: Puid): Promise<boolean> {
      const mayReach = (modelVersion: string) => mayReachGallery(caller, modelVersion);
      const deleted = isUuid(puid) && (await people.remove(caller.owner, puid, mayReach));
      count(deleted ? 'delete_done' : 'delete_unknown');
      return deleted;
    },
  };
}

/** Repeatable: an attempt finds the person that an earlier attempt enrolled. */
async function runEnrollment(
  people: People,
  idempotency: Idempotency,
  payload: EnrollPayload,
  run: JobRun,
): Promise<Enrollment> {
  const request = toIdempotentRequest(payload);
  const { owner, modelVersion, vectors, identifierDigest, since } = payload;
  const candidate = {
    // The caller of a run that another process took over is gone, and may have repeated and deleted in the meantime.
    unlessRemovedSince: run.isAwaited ? undefined : since,
    owner,
    modelVersion,
    vectors: vectors.map((text) => vectorFromBytes(Buffer.from(text, 'base64'))),
    identifierDigest: identifierDigest === undefined ? undefined : Buffer.from(identifierDigest, 'base64'),
  };
  try {
    return await people.enrol(candidate, async (trx, enrollment) => {
      const resource = `people/${enrollment.personId}`;
      if (request && !(await idempotency.remember(trx, request, enrollment, resource))) throw new DuplicateFaceError();
      try {
        await run.complete(trx);
      } catch (error) {
        // An earlier attempt committed this person and ended the job, but its answer was lost.
        if (!(error instanceof LeaseLostError) || enrollment.isNew) throw error;
      }
    });
  } catch (error) {
    if (error instanceof ConflictError) throw new JobAbandonedError(error.name, error);
    if (!(error instanceof DuplicateFaceError) || !request) throw unlessTransient(error);
    const reply = await idempotency.find<Enrollment>(request).catch((failure: unknown) => {
      throw unlessTransient(failure);
    });
    if (reply) return reply;
    throw error; // the other request's reply is gone again
  }
}

/** Only the key's proven client may reach galleries of verification sessions. */
function mayReachGallery({ isProven }: NodeCaller, modelVersion: string): boolean {
  return isProven || !isSignInVersion(modelVersion);
}

function requireReach(caller: NodeCaller, modelVersion: string): Owner {
  if (mayReachGallery(caller, modelVersion)) return caller.owner;
  const message =
    'This gallery belongs to verification sessions; also send the key’s client credentials, as HTTP Basic.';
  throw new NodeRefusalError('forbidden', NODE_STATUS.refused, message);
}

/** Ends the job if another attempt cannot succeed. */
function unlessTransient(error: unknown): unknown {
  return error instanceof AppError && error.code !== 'unavailable' ? new JobAbandonedError(error.code, error) : error;
}

/** A request with the same Idempotency-Key committed while this one was searching. */
class DuplicateFaceError extends Error {
  override readonly name = 'DuplicateFaceError';
}

function toIdempotentRequest({ owner, repeatable }: EnrollPayload): IdempotentRequest | undefined {
  return repeatable && { operation: 'node.enroll', owner: formatOwner(owner), ...repeatable };
}

function toRefusal(error: unknown): unknown {
  if (!(error instanceof JobFailedError)) return error;
  const { cause } = error;
  if (cause instanceof JobAbandonedError && cause.cause instanceof AppError) return cause.cause;
  // These have replies that name a time for another try, unlike status 152.
  if (cause instanceof AppError || isUnavailable(cause) || isDiskFull(cause)) return cause;
  if (cause instanceof LeaseLostError) {
    return new AppError(
      'unavailable',
      'The enrollment took too long here and is being done elsewhere; send it again.',
      {
        headers: { 'retry-after': '1' },
      },
    );
  }
  const message = `Face enrollment failed after ${ENROLL_ATTEMPTS} attempts; try again later.`;
  return new NodeRefusalError('internal_error', NODE_STATUS.enrollmentFailed, message);
}
