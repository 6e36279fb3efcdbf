// How the biometric node answers: ids in disguise, scores, and refusals as `{ status, message }` with numbers of its own.
import { NODE_STATUS, type NodeStatusReply } from '@limen/contract';
import type { ErrorCode } from '@limen/contract/error-codes';
import { AppError } from '../../platform/base/errors.ts';
import { isBelow } from '../../platform/http/paths.ts';

/** Reason in a reply when no embedding is usable. */
export const WHY_UNUSABLE =
  'no usable embedding; each needs finite numbers that are not all zero, and several must agree';

/** How `puid` and `guid` are written. */
export type Disguise = (field: 'puid' | 'guid', id: string) => string;

/** Turns letters by half the alphabet; twice gives the text back. A custom of the interface and no protection. */
export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** Embeddings are kept as 32-bit floats: what lies behind the sixth digit is rounding. */
export function roundScore(similarity: number): number {
  return Math.min(1, Math.max(-1, Math.round(similarity * 1e6) / 1e6));
}

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
