// Converts every failure to a reply.
import { STATUS_CODES } from 'node:http';
import type { ErrorReply } from '@limen/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isDiskFull, isUnavailable } from '../base/database-failures.ts';
import { AppError, describeForLog, invalid, unavailable } from '../base/errors.ts';
import { UnknownDataKeyError } from '../sealing/sealer.ts';
import { jsonText } from './body/json-text.ts';
import { createFieldSuggester } from './body/read-fields.ts';
import { validationError } from './body/validation.ts';

/** Returns the body of a refusal on paths with their own form, and undefined on all others. */
export type RefusalForm = (refusal: AppError, path: string) => object | undefined;

export function createErrorHandler(log: Logger, findForm: RefusalForm = () => undefined) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = toAppError(error, request);
    if (refusal.statusCode >= 500 && !(error instanceof AppError)) {
      log.error({ requestId: request.id, ...describeForLog(error) }, 'a request failed');
    }
    return reply
      .code(refusal.statusCode)
      .headers({ 'x-error-code': refusal.code, ...refusal.headers })
      .type('application/json; charset=utf-8')
      .send(jsonText(findForm(refusal, request.url) ?? errorReply(refusal, request.id)));
  };
}

export function errorReply(refusal: AppError, requestId: string): ErrorReply {
  return {
    statusCode: refusal.statusCode,
    error: STATUS_CODES[refusal.statusCode] ?? 'Error',
    message: refusal.message,
    requestId,
    ...(refusal.sessionCode === undefined ? {} : { code: refusal.sessionCode }),
    ...(refusal.details ? { details: refusal.details } : {}),
  };
}

function toAppError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  // The connection broke, which is not a failure of the service. The client does not read this.
  if (request.raw.destroyed && !request.raw.complete) {
    return new AppError('malformed_request', 'The request was cut off.');
  }
  if (isDiskFull(error)) {
    return new AppError(
      'disk_full',
      'The database’s disk is full: nothing new can be stored until its operator has made room. Reading and deleting still work.',
    );
  }
  if (isUnavailable(error)) return unavailable('The database does not answer at the moment; try again soon.', 2);
  if (error instanceof UnknownDataKeyError) {
    return unavailable('The keys of the database are being changed; try again soon.', 2);
  }
  const { code, validation, validationContext, statusCode } = (error ?? {}) as Partial<FastifyError>;
  if (validation && validationContext === 'body' && request.body === undefined) {
    return invalid('body', 'is required; send JSON with Content-Type application/json');
  }
  if (validation) {
    const schema = request.routeOptions.schema?.body;
    const hintOf = validationContext === 'body' ? createFieldSuggester(schema, request.body) : undefined;
    return validationError(validation, validationContext, hintOf);
  }
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', 'Send the body as application/json with that Content-Type.');
    case 'FST_ERR_BAD_URL':
      return new AppError('malformed_request', 'The path contains invalid percent-encoding.');
    default:
      return statusCode !== undefined && statusCode >= 400 && statusCode < 500
        ? new AppError('malformed_request', 'The request could not be read.')
        : new AppError('internal_error', 'Internal Server Error');
  }
}
