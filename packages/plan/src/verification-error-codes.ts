// The error codes that verification sessions add to those of age sessions.

export const VERIFICATION_ERROR_CODES = {
  enrollmentFailed: 152,
  authenticationFailed: 153,
  passkeyRefused: 154,
} as const;
