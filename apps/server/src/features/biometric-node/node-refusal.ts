// How area E refuses: `{ status, message }` with numbers of its own.
import { NODE_STATUS, type NodeStatusReply } from '@limen/contract';
import type { ErrorCode } from '@limen/contract/error-codes';
import { AppError } from '../../platform/errors.ts';

/** A refusal whose body carries another number than its HTTP status. */
export class NodeRefusal extends AppError {
  readonly nodeStatus: number;

  constructor(code: ErrorCode, nodeStatus: number, message: string) {
    super(code, message);
    this.nodeStatus = nodeStatus;
  }
}

/** The body of any refusal on a path of area E, whoever made it. */
export function nodeRefusalBody(refusal: AppError): NodeStatusReply {
  return { status: nodeStatusOf(refusal), message: refusal.message };
}

function nodeStatusOf(refusal: AppError): number {
  if (refusal instanceof NodeRefusal) return refusal.nodeStatus;
  // The specification's list: "invalid JSON" is -2. Everything it does not name repeats the HTTP status.
  return refusal.code === 'malformed_request' ? NODE_STATUS.unusable : refusal.statusCode;
}

export function isNodePath(path: string): boolean {
  if (path.startsWith('/node/')) return true;
  try {
    // The router takes an escaped letter for the letter itself.
    return path.includes('%') && decodeURI(path).startsWith('/node/');
  } catch {
    return false;
  }
}

export function missingKey(): NodeRefusal {
  return new NodeRefusal('validation_failed', NODE_STATUS.refused, 'Missing api key');
}

export function unknownKey(): NodeRefusal {
  return new NodeRefusal('forbidden', NODE_STATUS.refused, 'Failed to check api key');
}

export function badRequest(message: string): NodeRefusal {
  return new NodeRefusal('validation_failed', 400, message);
}

export function unreadable(message: string): NodeRefusal {
  return new NodeRefusal('validation_failed', NODE_STATUS.unusable, message);
}
