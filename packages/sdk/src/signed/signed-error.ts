// Why a JWT is not what it should be.

export type SignedErrorCode =
  /** Not three parts of base64url with JSON in them, or fields that the service never writes. */
  | 'malformed'
  /** Signed in another way than ES256, `none` among them. */
  | 'wrong_algorithm'
  /** Another kind of token than the one asked for. */
  | 'wrong_type'
  /** No published key has this name: made up, removed, or expired. */
  | 'unknown_key'
  /** Altered, or signed by somebody else. */
  | 'wrong_signature'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'expired'
  /** Signed in the future, by this clock. */
  | 'not_yet_valid'
  /** Signed by a key of one world for the other. */
  | 'wrong_world'
  /** Of the test world, whose outcomes anybody with a test key can choose; see `allowTest`. */
  | 'test_world'
  /** A receipt for something else. */
  | 'wrong_id'
  /** The keys could not be fetched: nothing is said about the token. */
  | 'keys_unavailable';

/** A token that must not be trusted. Never carries what is in it. */
export class SignedError extends Error {
  override readonly name = 'SignedError';
  readonly code: SignedErrorCode;

  constructor(code: SignedErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}
