// Enrollments of the biometric node, encrypted and plain.
import {
  EnrollReply,
  EnrollRequest,
  EnrollUnusableReply,
  NODE_STATUS,
  NodeStatusReply,
  PlainEnrollReply,
  PlainEnrollRequest,
  ref,
} from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { readRepeatable } from '../../platform/http/route.ts';
import { IDEMPOTENCY_HEADER } from '../../platform/idempotency/idempotency.ts';
import type { Enrolment } from '../galleries/people.ts';
import { nodeCallerOf } from './access.ts';
import { isProvided } from './read-request.ts';
import { roundScore, unreadable, WHY_UNUSABLE } from './replies.ts';
import { EncryptedHeaders, NODE_REFUSALS, type NodeCall, type NodeFrame, PlainHeaders } from './route-frame.ts';
import type { BiometricNode } from './service.ts';

interface EnrollBody {
  features?: unknown;
  metadata?: { id?: string };
  version?: string;
}

export function registerEnrollRoutes(frame: NodeFrame, node: BiometricNode): void {
  const responseOf = (reply: TSchema) => ({
    200: Type.Union([reply, ref(EnrollUnusableReply)], { description: 'Enrolled, or unusable.' }),
    ...NODE_REFUSALS,
    422: ref(NodeStatusReply, 'The Idempotency-Key was used with another body.'),
    500: ref(NodeStatusReply, 'The third attempt failed (`status` 152); send it again later.'),
    507: ref(NodeStatusReply, 'There is no room for another person.'),
  });

  async function enroll(request: FastifyRequest<{ Body: EnrollBody }>, call: NodeCall, schema: object) {
    const { features, metadata } = request.body;
    const { modelVersion } = call;
    const vectors = isProvided(features) ? call.readFeatures(features) : undefined;
    if (!vectors) throw unreadable('Enrollment Failed Features not provided.');
    const enrolment = await node.enroll({
      caller: nodeCallerOf(request),
      modelVersion,
      vectors,
      identifier: metadata?.id,
      repeatable: readRepeatable(request, schema, modelVersion),
      correlationId: request.correlationId ?? undefined,
    });
    return toReply(enrolment, call);
  }

  frame.postVersioned<EnrollBody>('enroll', {
    schema: {
      summary: 'Enroll a person from encrypted features',
      description:
        'A face that is already enrolled returns the existing person and adds nothing. Runs as a job of up to 3 attempts; the reply waits for it. See docs/node.md.',
      headers: Type.Object({ ...EncryptedHeaders, ...IDEMPOTENCY_HEADER }),
      body: EnrollRequest,
      response: responseOf(ref(EnrollReply)),
    },
    handler: (request) => enroll(request, frame.openEncrypted(request), EnrollRequest),
  });

  frame.post<EnrollBody>('plainEnroll', {
    schema: {
      summary: 'Enroll a person from a plain feature vector',
      headers: Type.Object({ ...PlainHeaders, ...IDEMPOTENCY_HEADER }),
      body: PlainEnrollRequest,
      response: responseOf(ref(PlainEnrollReply)),
    },
    handler: (request) => enroll(request, frame.openPlain(request), PlainEnrollRequest),
  });
}

/** No enrollment: no embedding was usable. */
function toReply(enrolment: Enrolment | undefined, { isPlain, disguise }: NodeCall) {
  const forPlain = isPlain && { statusCode: 200 };
  if (!enrolment) {
    const message = `Face enrollment failed: ${WHY_UNUSABLE}`;
    return { status: NODE_STATUS.enrollmentFailed, message, ...forPlain };
  }
  const { isNew, enrollLevel, score } = enrolment;
  const message = isNew ? 'Ok' : 'User Already Enrolled';
  const [puid, guid] = [disguise('puid', enrolment.puid), disguise('guid', enrolment.guid)];
  const head = { status: NODE_STATUS.success, ...forPlain, message };
  return isPlain
    ? { ...head, puid, guid, enroll_level: enrollLevel }
    : { ...head, enroll_level: enrollLevel, puid, guid, score: roundScore(score) };
}
