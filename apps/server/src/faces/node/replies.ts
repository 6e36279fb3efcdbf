// Replies of the biometric node: disguised ids, scores, and refusals as `{ status, message }` with their own numbers.
import { NODE_STATUS, type NodeStatusReply } from '@limen/contract';
import type { ErrorCode } from '@limen/contract/error-codes';
import { AppError } from '../../platform/base/errors.ts';
import { isBelow } from '../../platform/http/paths.ts';

export const UNUSABLE_REASON =
  'no usable embedding; each needs finite numbers that are not all zero, and several must agree';

/** Shifts letters by half the alphabet, so that applying it twice returns the text. Protects nothing. */
export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** Rounds to six digits. Embeddings are 32-bit floats, so further digits have no meaning. */
export function roundScore(similarity: number): number {
  return Math.min(1, Math.max(-1, Math.round(similarity * 1e6) / 1e6));
}

/** A refusal whose number in the body, or HTTP status, differs from that of its code elsewhere. */
export class NodeRefusalError extends AppError {
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

export function nodeRefusalBody(refusal: AppError): NodeStatusReply {
  const { message, code, statusCode } = refusal;
  if (refusal instanceof NodeRefusalError) return { status: refusal.nodeStatus, message };
  // By the node's specification, invalid JSON is -2. Codes that it does not list repeat the HTTP status.
  return { status: code === 'malformed_request' ? NODE_STATUS.unusable : statusCode, message };
}

export function isNodePath(path: string): boolean {
  return isBelow('/node/', path);
}

export function unknownKey(): NodeRefusalError {
  return new NodeRefusalError('forbidden', NODE_STATUS.refused, 'Failed to check api key');
}

export function badRequest(message: string): NodeRefusalError {
  return new NodeRefusalError('validation_failed', 400, message);
}

export function unreadable(message: string): NodeRefusalError {
  return new NodeRefusalError('validation_failed', NODE_STATUS.unusable, message);
}
