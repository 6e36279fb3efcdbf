// Enrollments and predictions of the biometric node, encrypted and plain.
import {
  EnrollReply,
  EnrollRequest,
  EnrollUnusableReply,
  NODE_STATUS,
  NodeStatusReply,
  NotRecognizedReply,
  PlainEnrollReply,
  PlainEnrollRequest,
  PlainNotRecognizedReply,
  PlainPredictListReply,
  PlainPredictReply,
  PlainPredictRequest,
  PredictListReply,
  PredictReply,
  PredictRequest,
  PredictUnusableReply,
  ref,
} from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { readRepeatable } from '../../platform/http/route.ts';
import { IDEMPOTENCY_HEADER } from '../../platform/idempotency/idempotency.ts';
import { requireNodeCaller } from './access.ts';
import { isProvided } from './read-request.ts';
import { roundScore, UNUSABLE_REASON, unreadable } from './replies.ts';
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
    507: ref(NodeStatusReply, 'The gallery is full.'),
  });

  async function enroll(request: FastifyRequest<{ Body: EnrollBody }>, call: NodeCall, schema: object) {
    const { features, metadata } = request.body;
    const { modelVersion, isPlain, disguise } = call;
    const enrollment = await node.enroll({
      caller: requireNodeCaller(request),
      modelVersion,
      vectors: readFeatures(call, features, 'Enrollment Failed Features not provided.'),
      identifier: metadata?.id,
      repeatable: readRepeatable(request, schema, modelVersion),
      correlationId: request.correlationId ?? undefined,
    });
    if (!enrollment) return unusable(NODE_STATUS.enrollmentFailed, 'Face enrollment failed', isPlain);
    const head = successHead(enrollment.isNew ? 'Ok' : 'User Already Enrolled', isPlain);
    const ids = { puid: disguise('puid', enrollment.puid), guid: disguise('guid', enrollment.guid) };
    const { enrollLevel: enroll_level, score } = enrollment;
    return isPlain ? { ...head, ...ids, enroll_level } : { ...head, enroll_level, ...ids, score: roundScore(score) };
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

interface PredictBody {
  features?: unknown;
  K?: number;
  user_identifier?: string;
  version?: string;
}

export function registerPredictRoutes(frame: NodeFrame, node: BiometricNode): void {
  const responseOf = (...replies: TSchema[]) => ({
    200: Type.Union([...replies, ref(PredictUnusableReply)], {
      description: 'Recognized, not recognized, or unusable.',
    }),
    ...NODE_REFUSALS,
  });

  async function predict(request: FastifyRequest<{ Body: PredictBody }>, call: NodeCall) {
    const { features, K: k = 1, user_identifier: identifier } = request.body;
    const { modelVersion, isPlain, disguise } = call;
    const vectors = readFeatures(call, features, 'Prediction Failed Features not provided.');
    const identified = await node.predict({ caller: requireNodeCaller(request), modelVersion, vectors, identifier, k });
    if (!identified) return unusable(NODE_STATUS.authenticationFailed, 'Face authentication failed', isPlain);
    const [best] = identified.matches;
    if (!best) {
      const noMatch = { message: 'User not enrolled', puid: '-1', guid: '-1', score: isPlain ? -1 : '-1' };
      return { status: NODE_STATUS.refused, ...(isPlain && PLAIN), ...noMatch };
    }
    const head = successHead('Ok', isPlain);
    const idsOf = ({ puid }: typeof best) => ({
      puid: disguise('puid', puid),
      guid: disguise('guid', identified.guid),
    });
    if (k > 1) {
      const list = identified.matches.map((match) => ({ ...idsOf(match), score: roundScore(match.similarity) }));
      return { ...head, PI_list: list };
    }
    const [score, enroll_level] = [roundScore(best.similarity), best.enrollLevel];
    return isPlain
      ? { ...head, ...idsOf(best), score, enroll_level }
      : { ...head, ...idsOf(best), enroll_level, score };
  }

  frame.postVersioned<PredictBody>('predict', {
    schema: {
      summary: 'Find a person by encrypted features',
      description: 'Several features are averaged, without the bad ones. `K` above 1 returns a list.',
      headers: Type.Object(EncryptedHeaders),
      body: PredictRequest,
      response: responseOf(ref(PredictReply), ref(PredictListReply), ref(NotRecognizedReply)),
    },
    handler: (request) => predict(request, frame.openEncrypted(request)),
  });

  frame.post<PredictBody>('plainPredict', {
    schema: {
      summary: 'Find a person by a plain feature vector',
      headers: Type.Object(PlainHeaders),
      body: PlainPredictRequest,
      response: responseOf(ref(PlainPredictReply), ref(PlainPredictListReply), ref(PlainNotRecognizedReply)),
    },
    handler: (request) => predict(request, frame.openPlain(request)),
  });
}

function readFeatures(call: NodeCall, features: unknown, refusal: string): number[][] {
  const vectors = isProvided(features) ? call.readFeatures(features) : undefined;
  if (!vectors) throw unreadable(refusal);
  return vectors;
}

const PLAIN = { statusCode: 200 };

function successHead(message: string, isPlain: boolean) {
  return { status: NODE_STATUS.success, ...(isPlain && PLAIN), message };
}

function unusable(status: number, outcome: string, isPlain: boolean) {
  return { status, message: `${outcome}: ${UNUSABLE_REASON}`, ...(isPlain && PLAIN) };
}
