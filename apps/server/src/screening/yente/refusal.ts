// Error replies of the routes of yente: `{ detail }`, with the statuses that its clients know.
import { type ErrorDetail, YENTE_QUERIES_MAX, type YenteError } from '@limen/contract';
import type { ErrorCode } from '@limen/contract/error-codes';
import type { FastifyError } from 'fastify';
import { AppError } from '../../platform/base/errors.ts';
import { validationError } from '../../platform/http/body/validation.ts';
import { isBelow } from '../../platform/http/paths.ts';

/** 422 in yente, unlike 400 elsewhere. */
class UnreadableRequestError extends AppError {
  constructor(code: ErrorCode, details: ErrorDetail[]) {
    super(code, 'The request cannot be read.', { details });
  }

  override get statusCode(): number {
    return 422;
  }
}

export function isYentePath(path: string): boolean {
  return isBelow('/yente/', path);
}

/** Returns the body of any error reply on a path of yente, including those of the platform. */
export function yenteRefusalBody(refusal: AppError): YenteError {
  if (!(refusal instanceof UnreadableRequestError)) return { detail: refusal.message };
  const { code, details = [] } = refusal;
  return { detail: details.map(({ path, message: msg }) => ({ type: code, loc: path.split('.'), msg })) };
}

export function refuseAsYente(error: unknown): never {
  const { validation, validationContext } = (error ?? {}) as Partial<FastifyError>;
  if (validation?.some(({ keyword, instancePath }) => keyword === 'maxProperties' && instancePath === '/queries')) {
    throw badQuery(`Too many queries in one batch (limit: ${YENTE_QUERIES_MAX})`);
  }
  if (validation) {
    throw new UnreadableRequestError('validation_failed', validationError(validation, validationContext).details ?? []);
  }
  if (error instanceof AppError && error.code === 'malformed_request') {
    throw new UnreadableRequestError('malformed_request', [{ path: 'body', message: error.message }]);
  }
  throw error;
}

export function unreadableField(path: string, message: string): AppError {
  return new UnreadableRequestError('validation_failed', [{ path, message }]);
}

export function badQuery(detail: string): AppError {
  return new AppError('validation_failed', detail);
}
