// The error of this package: an invalid token.

export type TokenErrorCode = 'length' | 'magic' | 'kind' | 'parameters' | 'range' | 'transparent' | 'id' | 'key';

const SENTENCES: Record<TokenErrorCode, string> = {
  length: 'The token has the wrong length.',
  magic: 'The bytes are not a token.',
  kind: 'The kind of the token is unknown.',
  parameters: 'The token was created with other parameters.',
  range: 'A coefficient of the token is out of range.',
  transparent: 'The token is not encrypted.',
  id: 'The id is not 16 bytes in base64url.',
  key: 'The key is invalid.',
};

export class TokenError extends Error {
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode) {
    super(SENTENCES[code]);
    this.name = 'TokenError';
    this.code = code;
  }
}
