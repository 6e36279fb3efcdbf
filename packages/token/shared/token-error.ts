// The one error of this package: a token that is not well-formed.

export type TokenErrorCode = 'length' | 'magic' | 'kind' | 'parameters' | 'range' | 'transparent' | 'id' | 'key';

const SENTENCES: Record<TokenErrorCode, string> = {
  length: 'The token has the wrong length',
  magic: 'The bytes are not a token',
  kind: 'The token is of an unknown kind',
  parameters: 'The token was made with other parameters',
  range: 'The token has a coefficient out of range',
  transparent: 'The token is not encrypted',
  id: 'The id is not 16 bytes in base64url',
  key: 'The key is not well-formed',
};

export class TokenError extends Error {
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode) {
    super(SENTENCES[code]);
    this.name = 'TokenError';
    this.code = code;
  }
}
