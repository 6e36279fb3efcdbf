// The error replies of areas A to D: one table from stable code to HTTP status, and the body's schema.
import { type Static, Type } from 'typebox';

/** Every code a client can meet, sent in the `x-error-code` header, with its HTTP status. */
export const ERROR_STATUS = {
  malformed_request: 400,
  validation_failed: 400,
  invalid_api_key: 401,
  invalid_client_credentials: 401,
  invalid_metrics_token: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
  store_full: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const ErrorDetail = Type.Object({
  path: Type.String({
    description: 'Where the problem is, for example `body.value` or `query.limit`.',
  }),
  message: Type.String({ description: 'What is wrong there and what would be right.' }),
});
export type ErrorDetail = Static<typeof ErrorDetail>;

export const ErrorReply = Type.Object(
  {
    statusCode: Type.Integer({ description: 'The HTTP status again.' }),
    error: Type.String({ description: 'The name of the HTTP status.' }),
    message: Type.String({ description: 'What was wrong and how to put it right.' }),
    requestId: Type.String({ description: 'The reply’s `x-request-id`; quote it in a report.' }),
    details: Type.Optional(
      Type.Array(ErrorDetail, { description: 'One entry per problem; only on a failed validation.' }),
    ),
  },
  { $id: 'ErrorReply', description: 'Every refusal of areas A to D.' },
);
export type ErrorReply = Static<typeof ErrorReply>;
