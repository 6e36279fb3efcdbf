// Meaning and remedy of every error code. Session messages, API descriptions, the reference pages
// and docs/reference/errors.md read this table.
import { AGE_ERROR_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';
import { ERROR_STATUS, type ErrorCode } from './error-codes.ts';

interface ErrorText {
  meaning: string;
  remedy: string;
}

const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  malformed_request: {
    meaning: 'The request cannot be parsed: the body, the percent-encoding of the path, or the `Host` header.',
    remedy: 'Fix the part that `message` names. Send JSON as UTF-8.',
  },
  validation_failed: {
    meaning: 'A field or parameter has a wrong type or value.',
    remedy: 'Correct the fields listed in `details`, or follow `message` if there are none.',
  },
  invalid_api_key: {
    meaning: 'The API key is missing, unknown or revoked.',
    remedy: 'Send a valid key in `x-api-key`. `limen keys list` shows the keys.',
  },
  invalid_client_credentials: {
    meaning: 'The key requires a client id and secret, and they are missing or wrong.',
    remedy: 'Send both as HTTP Basic, as `limen keys create` printed them.',
  },
  invalid_metrics_token: {
    meaning: '`GET /metrics` requires a token, and it is missing or wrong.',
    remedy: 'Send the value of `METRICS_TOKEN` as the bearer token.',
  },
  invalid_bearer_token: {
    meaning: 'The bearer token is missing a claim, has expired, or comes from an untrusted issuer.',
    remedy: 'Request a new token from the issuer in `OIDC_ISSUER`. `message` names the failed check.',
  },
  invalid_signature: {
    meaning: 'Device channel: the signature of the call is missing or does not verify.',
    remedy: 'Sign the exact bytes that are sent, with the key that claimed the session.',
  },
  not_signed_in: {
    meaning: 'Console: there is no session, or it has expired.',
    remedy: 'Sign in again.',
  },
  forbidden: {
    meaning: 'The caller is known, but the key, role, session or device does not permit this call.',
    remedy: 'Follow `message`. Simulations need a test key. On the device channel, read the view for the next step.',
  },
  device_mismatch: {
    meaning: 'Device channel: another device holds the session, or no device has claimed it yet.',
    remedy: 'Claim the session first, or continue on the device that holds it.',
  },
  handoff_code_refused: {
    meaning: 'Device channel: the handoff code was used or has expired.',
    remedy: 'Show a new QR code on the other device.',
  },
  handoff_number_refused: {
    meaning: 'Device channel: the wrong number was picked during a handoff. The code is void.',
    remedy: 'Show a new QR code on the other device.',
  },
  return_code_refused: {
    meaning: 'Device channel: the digits typed at the end of a handoff are wrong.',
    remedy: 'Type the digits again. After the last attempt, create a new session.',
  },
  third_device: {
    meaning: 'Device channel: the session has already been on two devices.',
    remedy: 'Continue on one of those two devices.',
  },
  invite_refused: {
    meaning: 'Console: the invitation has expired or was used.',
    remedy: 'Ask an admin for a new invitation.',
  },
  passkey_refused: {
    meaning: 'Console: the passkey was not accepted.',
    remedy: 'Try again, or ask an admin for a new invitation.',
  },
  not_found: {
    meaning: 'The path or record does not exist, was deleted, or belongs to another customer.',
    remedy: 'Check the path and the id, and use the key that created the record.',
  },
  method_not_allowed: {
    meaning: 'The path does not support this method.',
    remedy: 'Use a method from the `Allow` header.',
  },
  request_timeout: {
    meaning: 'The request did not arrive completely in time.',
    remedy: 'Send it again over a faster connection.',
  },
  session_ended: {
    meaning: 'The session has ended or expired.',
    remedy: 'Read its result. Create a new session to check the person again.',
  },
  payload_replayed: {
    meaning: 'Device channel: the session has already been answered.',
    remedy: 'Do not answer again. Create a new session if needed.',
  },
  stale_counter: {
    meaning: 'Device channel: the counter is not above the last one, so the call was handled already.',
    remedy: 'Continue from the counter in `limen-device-counter`.',
  },
  log_conflict: {
    meaning: 'Device channel: another tab reported different steps.',
    remedy: 'Claim the session again and continue from the returned log.',
  },
  step_not_running: {
    meaning: 'Device channel: the call belongs to a step that has not started.',
    remedy: 'Report the start of the step first.',
  },
  challenge_refused: {
    meaning: 'Device channel: no open challenge matches. A challenge is valid for one attempt.',
    remedy: 'Request a new challenge and encrypt the face for it.',
  },
  nothing_to_trust: {
    meaning: 'The session did not succeed or was simulated, or its device and passkey are gone.',
    remedy: 'Call it only after a success, and before the person is deleted.',
  },
  entry_changed: {
    meaning: 'The listed entry has changed since the hit was read.',
    remedy: 'Read the hit again, then decide.',
  },
  case_decided: {
    meaning: 'Console: another reviewer has decided the case.',
    remedy: 'Reload the case.',
  },
  second_pair_needed: {
    meaning: 'Console: the same reviewer cannot propose and confirm a decision.',
    remedy: 'Ask another reviewer to confirm the proposal.',
  },
  payload_too_large: {
    meaning: 'The body, file or result exceeds the limit in `message`.',
    remedy: 'Split the request.',
  },
  unsupported_media_type: {
    meaning: 'The `Content-Type` or `Content-Encoding` is not supported here.',
    remedy: 'Send the type that `message` names, uncompressed.',
  },
  expectation_failed: {
    meaning: 'The `Expect` header is not `100-continue`.',
    remedy: 'Remove the header.',
  },
  idempotency_key_reused: {
    meaning: 'The `Idempotency-Key` was used with a different body in the last 24 hours.',
    remedy: 'Use a new key for a new request. Repeat a request with its original body.',
  },
  answer_refused: {
    meaning: 'Device channel: the answer does not fit the session’s plan. The session has ended.',
    remedy: 'Create a new session. `code` has the session error code.',
  },
  too_many_requests: {
    meaning: 'A rate limit was reached.',
    remedy: 'Retry after the seconds in `Retry-After`.',
  },
  headers_too_large: {
    meaning: 'The request line and headers exceed the limit in `message`.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal_error: {
    meaning: 'The service failed unexpectedly.',
    remedy: 'Report the `x-request-id`. The operator finds the cause in the log under this id.',
  },
  unavailable: {
    meaning: 'The service is overloaded, stopping, or waiting for its database or another dependency.',
    remedy: 'Retry after the seconds in `Retry-After`, or with exponential backoff if it is missing.',
  },
  keyholder_unavailable: {
    meaning: 'Faces cannot be compared because the key-holder does not respond. Nothing is lost.',
    remedy: 'Retry the same call after the seconds in `Retry-After`. The operator must check the key-holder.',
  },
  store_full: {
    meaning: 'A configured limit of stored records is reached.',
    remedy: 'Delete records, or raise the limit. `message` says which records count.',
  },
  disk_full: {
    meaning: 'The disk of the database is full. Reads and deletions still work.',
    remedy: 'The operator must free disk space.',
  },
};

type SessionErrorName = keyof typeof AGE_ERROR_CODES | keyof typeof VERIFICATION_ERROR_CODES;

interface SessionErrorText extends ErrorText {
  /** Text in results and webhooks */
  message: string;
}

const SESSION_TEXTS: Readonly<Record<SessionErrorName, SessionErrorText>> = {
  spoof: {
    message: 'Image spoof',
    meaning: 'The camera saw a photo, a screen or a mask.',
    remedy: 'Refuse the person.',
  },
  desktopNotEnabled: {
    message: 'Desktop not enabled',
    meaning: 'The person stayed on a computer, and `enableDesktop` is false.',
    remedy: 'Ask the person to use a phone, or set `enableDesktop`.',
  },
  cameraFailure: {
    message: 'Camera failure',
    meaning: 'There is no camera, or the person did not permit its use.',
    remedy: 'Offer another attempt.',
  },
  sessionExpired: {
    message: 'Session expired',
    meaning: 'The session was not completed in time.',
    remedy: 'Create a new session.',
  },
  faceMismatch: {
    message: 'Face does not match the document',
    meaning: 'The face and the photo in the document show different people.',
    remedy: 'Refuse the person.',
  },
  tooDark: {
    message: 'Too dark',
    meaning: 'The camera image was too dark.',
    remedy: 'Offer another attempt with more light.',
  },
  severalFaces: {
    message: 'Several faces',
    meaning: 'The camera saw more than one face.',
    remedy: 'Offer another attempt with only one person in view.',
  },
  payloadReplayed: {
    message: 'Payload replayed',
    meaning: 'The answer was made for another session or plan, or was sent before.',
    remedy: 'Refuse the person.',
  },
  deviceMismatch: {
    message: 'Device mismatch',
    meaning: 'The calling device does not hold the session. Only that device gets this code; the session continues.',
    remedy: 'Continue on the device that holds the session.',
  },
  modelLoadFailed: {
    message: 'Model load failed',
    meaning: 'The browser could not load or run the face models.',
    remedy: 'Offer another attempt, in another browser if it fails again.',
  },
  faceScanError: {
    message: 'Face scan error',
    meaning: 'The face could not be captured, or the answer did not fit the plan.',
    remedy: 'Offer another attempt, unless the recommendation is `BLOCK`.',
  },
  documentScanError: {
    message: 'Document scan error',
    meaning: 'The document could not be read, or the answer did not fit the plan.',
    remedy: 'Offer another attempt, unless the recommendation is `BLOCK`.',
  },
  enrollmentFailed: {
    message: 'Face enrollment failed',
    meaning: 'No usable face was captured, or the recommendation of the `ENROLL` is `BLOCK`.',
    remedy: 'Offer another attempt, unless the recommendation is `BLOCK`. Wait `retryAfter` seconds if present.',
  },
  authenticationFailed: {
    message: 'Face authentication failed',
    meaning: 'The face matches no one, or not the person asked for.',
    remedy: 'Offer another attempt or another factor. Wait `retryAfter` seconds if present.',
  },
  passkeyRefused: {
    message: 'Passkey was not accepted',
    meaning: 'The passkey did not verify, belongs to another person, or is not supported by the browser.',
    remedy: 'Offer another attempt or another device.',
  },
};

/** Numbers in the `status` of the biometric node that differ from the HTTP status. */
const NODE_TEXTS: readonly (ErrorText & { code: number; status: number })[] = [
  {
    code: -1,
    status: 200,
    meaning: 'No one in the gallery is similar enough.',
    remedy: 'Treat the person as unknown, or enroll them.',
  },
  {
    code: -1,
    status: 400,
    meaning: 'The key check got no API key.',
    remedy: 'Send the key in `x-api-key` or `api_key`.',
  },
  {
    code: -1,
    status: 403,
    meaning: 'The API key is missing, unknown or revoked, or a sign-in gallery needs client credentials.',
    remedy: 'Send a valid key. Add its client id and secret as HTTP Basic for galleries of sign-in.',
  },
  {
    code: -2,
    status: 400,
    meaning: 'The features are missing, the body is not JSON, or the encrypted features cannot be opened.',
    remedy: 'Send `features`. Encrypt them with the key and the format of docs/node.md#encryption.',
  },
  { code: -2, status: 500, meaning: '`deleteUser` got no `puid`.', remedy: 'Send the `puid`.' },
  {
    code: 152,
    status: 200,
    meaning: 'No embedding of the enrollment is usable.',
    remedy: 'Capture the face again.',
  },
  {
    code: 152,
    status: 500,
    meaning: 'The enrollment failed after several attempts.',
    remedy: 'Try again later. Report the `x-request-id` if it keeps failing.',
  },
  {
    code: 153,
    status: 200,
    meaning: 'No embedding of the prediction is usable.',
    remedy: 'Capture the face again.',
  },
];

/** Values of `lastError` in the log of webhook deliveries. */
export const DELIVERY_TEXTS = {
  status: {
    meaning: 'The endpoint returned neither 2xx nor 410 nor a redirect. `lastStatus` has the status.',
    remedy: 'Return 2xx as soon as the webhook is stored.',
  },
  redirect: {
    meaning: 'The endpoint redirected. Redirects are not followed.',
    remedy: 'Set `callback.url` to the final address.',
  },
  gone: { meaning: 'The endpoint returned 410, which stops the delivery.', remedy: 'Resend the webhook if needed.' },
  timeout: {
    meaning: 'The endpoint did not reply within `WEBHOOK_TIMEOUT_MS`.',
    remedy: 'Store the webhook, reply, and process it afterwards.',
  },
  unreachable: {
    meaning: 'No connection: the name does not resolve, nothing listens, or the certificate is invalid.',
    remedy: 'Check DNS, firewall and certificate of the endpoint.',
  },
  interrupted: {
    meaning: 'The connection broke before the reply was complete.',
    remedy: 'Check the proxy in front of the endpoint.',
  },
  invalid_reply: {
    meaning: 'The reply is not HTTP, or its headers exceed 64 KiB.',
    remedy: 'Check that the port serves HTTP or HTTPS as the address says.',
  },
  address_refused: {
    meaning: 'The address is private, link-local or a metadata service.',
    remedy: 'Use a public address, or set `WEBHOOK_ALLOW_PRIVATE=true` for private ones.',
  },
  body_removed: {
    meaning: 'The session was deleted or its retention ended before the delivery.',
    remedy: 'Nothing can be resent. Raise `RETENTION_HOURS` if your endpoint can be down for longer.',
  },
  no_signing_key: {
    meaning: 'The API key that signs the webhook cannot be read.',
    remedy: 'The operator finds the cause in the log.',
  },
  unreadable: {
    meaning: 'The stored webhook cannot be decrypted.',
    remedy: 'The operator finds the cause in the log.',
  },
  internal: {
    meaning: 'The attempt failed inside the service.',
    remedy: 'It is retried. The operator finds the cause in the log.',
  },
} as const satisfies Record<string, ErrorText>;

export interface ErrorRow extends ErrorText {
  area: 'http' | 'session' | 'node' | 'delivery';
  code: string | number;
  /** HTTP status of the reply, for areas in which the code determines it */
  status?: number;
  /** Text in results and webhooks, only for session errors */
  message?: string;
}

/** Returns the error codes of session results, with their texts. */
export function listSessionErrors(): (SessionErrorText & { code: number })[] {
  const codes = { ...AGE_ERROR_CODES, ...VERIFICATION_ERROR_CODES };
  return Object.entries(codes).map(([name, code]) => ({ code, ...SESSION_TEXTS[name as SessionErrorName] }));
}

/** Returns every error code of the API. */
export function listErrors(): ErrorRow[] {
  const replies = Object.entries(ERROR_STATUS).map(([code, status]) => ({
    area: 'http' as const,
    code,
    status,
    ...ERROR_TEXTS[code as ErrorCode],
  }));
  const deliveries = Object.entries(DELIVERY_TEXTS).map(([code, text]) => ({
    area: 'delivery' as const,
    code,
    ...text,
  }));
  return [
    ...replies,
    ...listSessionErrors().map((row) => ({ area: 'session' as const, ...row })),
    ...NODE_TEXTS.map((row) => ({ area: 'node' as const, ...row })),
    ...deliveries,
  ];
}
