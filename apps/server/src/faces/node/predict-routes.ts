// Predictions of the biometric node, encrypted and plain.
import {
  NODE_STATUS,
  NotRecognizedReply,
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
import type { Identified } from '../galleries/people.ts';
import { nodeCallerOf } from './access.ts';
import { isProvided } from './read-request.ts';
import { roundScore, unreadable, WHY_UNUSABLE } from './replies.ts';
import { EncryptedHeaders, NODE_REFUSALS, type NodeCall, type NodeFrame, PlainHeaders } from './route-frame.ts';
import type { BiometricNode } from './service.ts';

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
    const vectors = isProvided(features) ? call.readFeatures(features) : undefined;
    if (!vectors) throw unreadable('Prediction Failed Features not provided.');
    const { modelVersion } = call;
    const identified = await node.predict({ caller: nodeCallerOf(request), modelVersion, vectors, identifier, k });
    return toReply(identified, k, call);
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

/** Nothing was identified: no embedding was usable. */
function toReply(identified: Identified | undefined, k: number, { isPlain, disguise }: NodeCall) {
  const forPlain = isPlain && { statusCode: 200 };
  if (!identified) {
    const message = `Face authentication failed: ${WHY_UNUSABLE}`;
    return { status: NODE_STATUS.authenticationFailed, message, ...forPlain };
  }
  const [best] = identified.matches;
  if (!best) {
    const nobody = { message: 'User not enrolled', puid: '-1', guid: '-1', score: isPlain ? -1 : '-1' };
    return { status: NODE_STATUS.refused, ...forPlain, ...nobody };
  }
  const head = { status: NODE_STATUS.success, ...forPlain, message: 'Ok' };
  const idsOf = ({ puid }: typeof best) => ({
    puid: disguise('puid', puid),
    guid: disguise('guid', identified.guid),
  });
  if (k > 1) {
    const list = identified.matches.map((match) => ({ ...idsOf(match), score: roundScore(match.similarity) }));
    return { ...head, PI_list: list };
  }
  const [score, enroll_level] = [roundScore(best.similarity), best.enrollLevel];
  return isPlain ? { ...head, ...idsOf(best), score, enroll_level } : { ...head, ...idsOf(best), enroll_level, score };
}
