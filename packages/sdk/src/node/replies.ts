// Reads successful replies of the biometric node: a person, several, or the reason why there is
// none.
import { LimenError } from '../errors.ts';
import { isObject } from '../http/reply.ts';
import { NodeCipherError } from './encryption.ts';

export interface Person {
  /** Id of the person within a gallery of this customer, model version and vector length. */
  puid: string;
  /** Id of the gallery. */
  guid: string;
}

export interface EnrolledPerson extends Person {
  /** Number of face vectors stored for the person. */
  enrollLevel: number;
}

/** `score` is the similarity, from -1 to 1. */
export interface ScoredPerson extends Person {
  score: number;
}

export type PlainEnrollResult =
  /** `already_enrolled`: the face was enrolled before, and that person is returned. */
  | ({ outcome: 'enrolled' | 'already_enrolled' } & EnrolledPerson)
  /** No vector was usable: all were zero, or too different from the others. */
  | { outcome: 'unusable' };

export type EnrollResult =
  | ({ outcome: 'enrolled' | 'already_enrolled' } & EnrolledPerson & ScoredPerson)
  | { outcome: 'unusable' };

export type PredictResult =
  | ({ recognized: true } & EnrolledPerson & ScoredPerson)
  | { recognized: false; reason: 'not_enrolled' | 'unusable' };

/** Decodes an id: decrypts it, or undoes ROT13. */
export type OpenId = (field: 'puid' | 'guid', text: string) => string | Promise<string>;

const SUCCESS = 0;
const NOT_ENROLLED = -1;
const ENROLLMENT_FAILED = 152;
const AUTHENTICATION_FAILED = 153;

export async function readPlainEnroll(reply: unknown, open: OpenId): Promise<PlainEnrollResult> {
  const body = requireObject(reply);
  if (body['status'] === ENROLLMENT_FAILED) return { outcome: 'unusable' };
  requireSuccess(body);
  const outcome = body['message'] === 'User Already Enrolled' ? 'already_enrolled' : 'enrolled';
  return { outcome, ...(await readEnrolled(body, open)) };
}

export async function readEnroll(reply: unknown, open: OpenId): Promise<EnrollResult> {
  const result = await readPlainEnroll(reply, open);
  return result.outcome === 'unusable' ? result : { ...result, score: readNumber(requireObject(reply), 'score') };
}

export async function readPredict(reply: unknown, open: OpenId): Promise<PredictResult> {
  const body = requireObject(reply);
  if (body['status'] === NOT_ENROLLED) return { recognized: false, reason: 'not_enrolled' };
  if (body['status'] === AUTHENTICATION_FAILED) return { recognized: false, reason: 'unusable' };
  requireSuccess(body);
  return { recognized: true, ...(await readEnrolled(body, open)), score: readNumber(body, 'score') };
}

/** With K = 1 the service replies without a list. */
export async function readPredictMany(reply: unknown, open: OpenId): Promise<ScoredPerson[]> {
  const body = requireObject(reply);
  if (body['status'] === NOT_ENROLLED || body['status'] === AUTHENTICATION_FAILED) return [];
  requireSuccess(body);
  const listed: unknown[] = Array.isArray(body['PI_list']) ? body['PI_list'] : [body];
  return Promise.all(listed.map((entry) => readScored(requireObject(entry), open)));
}

async function readEnrolled(body: Record<string, unknown>, open: OpenId): Promise<EnrolledPerson> {
  return { ...(await readPerson(body, open)), enrollLevel: readNumber(body, 'enroll_level') };
}

async function readScored(body: Record<string, unknown>, open: OpenId): Promise<ScoredPerson> {
  return { ...(await readPerson(body, open)), score: readNumber(body, 'score') };
}

async function readPerson(body: Record<string, unknown>, open: OpenId): Promise<Person> {
  const [puid, guid] = await Promise.all([openId(body, 'puid', open), openId(body, 'guid', open)]);
  return { puid, guid };
}

async function openId(body: Record<string, unknown>, field: 'puid' | 'guid', open: OpenId): Promise<string> {
  const text = body[field];
  if (typeof text !== 'string') throw describeStranger(`it has no ${field}`);
  try {
    return await open(field, text);
  } catch (error) {
    throw error instanceof NodeCipherError ? describeStranger(`its ${field} does not open`, error) : error;
  }
}

function readNumber(body: Record<string, unknown>, field: string): number {
  const value = body[field];
  if (typeof value !== 'number') throw describeStranger(`it has no ${field}`);
  return value;
}

function requireObject(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw describeStranger('a part of it is not an object');
  return value;
}

function requireSuccess(body: Record<string, unknown>): void {
  if (body['status'] !== SUCCESS) throw describeStranger('its status does not mean success');
}

/** Describes a reply that is not Limen's, or was sealed with another key. */
function describeStranger(what: string, cause?: unknown): LimenError {
  const message = `The reply is not from the biometric node: ${what}.`;
  return new LimenError(message, { status: 200, code: 'invalid_reply', cause });
}
