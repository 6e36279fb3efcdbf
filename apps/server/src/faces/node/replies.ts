// The replies of the biometric node, in the encrypted form and the plain one.
import {
  type EnrollReply,
  type EnrollUnusableReply,
  NODE_STATUS,
  type NodeStatusReply,
  type NotRecognizedReply,
  type PlainEnrollReply,
  type PlainNotRecognizedReply,
  type PlainPredictListReply,
  type PlainPredictReply,
  type PredictListReply,
  type PredictReply,
  type PredictUnusableReply,
} from '@limen/contract';
import type { Enrolment, Identified } from '../galleries/people.ts';
import type { NodeCipher } from './cipher.ts';

/** Reason in a reply when no embedding is usable. */
export const WHY_UNUSABLE =
  'no usable embedding; each needs finite numbers that are not all zero, and several must agree';

import type { ErrorCode } from '@limen/contract/error-codes';
import { AppError } from '../../platform/base/errors.ts';
import { isBelow } from '../../platform/http/path-prefix.ts';

const OK = 'Ok';
const ALREADY_ENROLLED = 'User Already Enrolled';
const NOT_ENROLLED = 'User not enrolled';

/** How `puid` and `guid` are written. */
export type Disguise = (field: 'puid' | 'guid', id: string) => string;

export const inTheClear: Disguise = (_field, id) => id;
export const asRot13: Disguise = (_field, id) => rot13(id);
export function encryptedWith(cipher: NodeCipher): Disguise {
  return (field, id) => cipher.encrypt(field, id);
}

/** Turns letters by half the alphabet; twice gives the text back. A custom of the interface and no protection. */
export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

export function enrollReply(enrolment: Enrolment, disguise: Disguise): EnrollReply {
  const { enroll_level, puid, guid } = personOf(enrolment, disguise);
  return {
    status: NODE_STATUS.success,
    message: messageOf(enrolment),
    enroll_level,
    puid,
    guid,
    score: roundScore(enrolment.score),
  };
}

export function plainEnrollReply(enrolment: Enrolment, disguise: Disguise): PlainEnrollReply {
  const { enroll_level, puid, guid } = personOf(enrolment, disguise);
  return { status: NODE_STATUS.success, statusCode: 200, message: messageOf(enrolment), puid, guid, enroll_level };
}

export function predictReply(
  identified: Identified,
  k: number,
  disguise: Disguise,
): PredictReply | PredictListReply | NotRecognizedReply {
  const head = { status: NODE_STATUS.success, message: OK };
  const [best] = identified.matches;
  if (!best) {
    return { status: NODE_STATUS.refused, message: NOT_ENROLLED, puid: '-1', guid: '-1', score: '-1' };
  }
  if (k > 1) return { ...head, PI_list: listOf(identified, disguise) };
  const { puid, guid, enroll_level } = personOf({ ...best, guid: identified.guid }, disguise);
  return { ...head, puid, guid, enroll_level, score: roundScore(best.similarity) };
}

export function plainPredictReply(
  identified: Identified,
  k: number,
  disguise: Disguise,
): PlainPredictReply | PlainPredictListReply | PlainNotRecognizedReply {
  const head = { status: NODE_STATUS.success, statusCode: 200, message: OK };
  const [best] = identified.matches;
  if (!best) {
    return { status: NODE_STATUS.refused, statusCode: 200, message: NOT_ENROLLED, puid: '-1', guid: '-1', score: -1 };
  }
  if (k > 1) return { ...head, PI_list: listOf(identified, disguise) };
  const { puid, guid, enroll_level } = personOf({ ...best, guid: identified.guid }, disguise);
  return { ...head, puid, guid, score: roundScore(best.similarity), enroll_level };
}

/** No usable embedding was left. */
export function enrollUnusableReply(): EnrollUnusableReply {
  return { status: NODE_STATUS.enrollmentFailed, message: `Face enrollment failed: ${WHY_UNUSABLE}` };
}

export function predictUnusableReply(): PredictUnusableReply {
  return { status: NODE_STATUS.authenticationFailed, message: `Face authentication failed: ${WHY_UNUSABLE}` };
}

function messageOf({ isNew }: Enrolment): string {
  return isNew ? OK : ALREADY_ENROLLED;
}

function personOf(person: { puid: string; guid: string; enrollLevel: number }, disguise: Disguise) {
  const { puid, guid, enrollLevel } = person;
  return { puid: disguise('puid', puid), guid: disguise('guid', guid), enroll_level: enrollLevel };
}

function listOf({ guid, matches }: Identified, disguise: Disguise) {
  return matches.map(({ puid, similarity }) => ({
    puid: disguise('puid', puid),
    guid: disguise('guid', guid),
    score: roundScore(similarity),
  }));
}

/** Embeddings are kept as 32-bit floats: what lies behind the sixth digit is rounding. */
function roundScore(similarity: number): number {
  return Math.min(1, Math.max(-1, Math.round(similarity * 1e6) / 1e6));
}

// How the biometric node refuses: `{ status, message }` with numbers of its own.
/** A refusal whose number in the body, or HTTP status, is not the one that belongs to its code elsewhere. */
export class NodeRefusal extends AppError {
  readonly nodeStatus: number;
  readonly #httpStatus: number | undefined;

  constructor(code: ErrorCode, nodeStatus: number, message: string, httpStatus?: number) {
    super(code, message);
    this.nodeStatus = nodeStatus;
    this.#httpStatus = httpStatus;
  }

  override get statusCode(): number {
    return this.#httpStatus ?? super.statusCode;
  }
}

/** Returns the reply body for any refusal on a path of the biometric node. */
export function nodeRefusalBody(refusal: AppError): NodeStatusReply {
  return { status: nodeStatusOf(refusal), message: refusal.message };
}

function nodeStatusOf(refusal: AppError): number {
  if (refusal instanceof NodeRefusal) return refusal.nodeStatus;
  // The specification's list: "invalid JSON" is -2. Everything it does not name repeats the HTTP status.
  return refusal.code === 'malformed_request' ? NODE_STATUS.unusable : refusal.statusCode;
}

export function isNodePath(path: string): boolean {
  return isBelow('/node/', path);
}

export function missingKey(): NodeRefusal {
  return new NodeRefusal('validation_failed', NODE_STATUS.refused, 'Missing api key');
}

export function unknownKey(): NodeRefusal {
  return new NodeRefusal('forbidden', NODE_STATUS.refused, 'Failed to check api key');
}

/** The key itself is good: this says what is missing. */
export function unprovenClient(): NodeRefusal {
  return new NodeRefusal(
    'forbidden',
    NODE_STATUS.refused,
    'This gallery belongs to verification sessions; also send the key’s client credentials, as HTTP Basic.',
  );
}

export function badRequest(message: string): NodeRefusal {
  return new NodeRefusal('validation_failed', 400, message);
}

export function unreadable(message: string): NodeRefusal {
  return new NodeRefusal('validation_failed', NODE_STATUS.unusable, message);
}

/** The specification's statuses for these two: 500 and 400. */
export function missingPuid(): NodeRefusal {
  return new NodeRefusal('validation_failed', NODE_STATUS.unusable, 'Missing PUID.', 500);
}

export function noSuchPerson(): NodeRefusal {
  return new NodeRefusal('not_found', 400, 'delete failed', 400);
}
