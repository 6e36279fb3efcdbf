// Reasons why a JWT is rejected.

export type SignedErrorCode =
  /** Not three parts of base64url with JSON, or with fields that the service never writes. */
  | 'malformed'
  /** An algorithm other than ES256, including `none`. */
  | 'wrong_algorithm'
  /** Another kind of token than requested. */
  | 'wrong_type'
  /** No published key has this id: made up, removed, or expired. */
  | 'unknown_key'
  /** Modified, or signed by someone else. */
  | 'wrong_signature'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'expired'
  /** Signed in the future, by this clock. */
  | 'not_yet_valid'
  /** Signed by a key of one world for the other. */
  | 'wrong_world'
  /** From the test world, in which anyone with a test key chooses outcomes. See `allowTest`. */
  | 'test_world'
  /** A receipt for something else. */
  | 'wrong_id'
  /** The keys could not be fetched. Says nothing about the token. */
  | 'keys_unavailable';

/** A token that must not be trusted. The error contains nothing of it. */
export class SignedError extends Error {
  override readonly name = 'SignedError';
  readonly code: SignedErrorCode;

  constructor(code: SignedErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}
