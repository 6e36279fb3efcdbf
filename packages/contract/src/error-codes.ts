// Stable error codes and their HTTP status. By itself, so that it can be had without the schemas.

/** Every code a client can meet, sent in the `x-error-code` header, with its HTTP status. */
export const ERROR_STATUS = {
  malformed_request: 400,
  validation_failed: 400,
  invalid_api_key: 401,
  invalid_client_credentials: 401,
  invalid_metrics_token: 401,
  invalid_bearer_token: 401,
  invalid_signature: 401,
  forbidden: 403,
  device_mismatch: 403,
  handoff_code_refused: 403,
  third_device: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  session_ended: 409,
  payload_replayed: 409,
  stale_counter: 409,
  log_conflict: 409,
  step_not_running: 409,
  challenge_refused: 409,
  nothing_to_trust: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  answer_refused: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
  keyholder_unavailable: 503,
  store_full: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;
