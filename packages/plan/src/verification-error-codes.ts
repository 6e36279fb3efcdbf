// The error codes that area D adds to those of area C.

export const VERIFICATION_ERROR_CODES = {
  enrollmentFailed: 152,
  authenticationFailed: 153,
  passkeyRefused: 154,
} as const;
