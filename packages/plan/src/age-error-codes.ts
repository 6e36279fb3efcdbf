// Error codes of age sessions in results, webhooks and refusals of the device channel.

/** Additional error codes of verification sessions. */
export const VERIFICATION_ERROR_CODES = {
  enrollmentFailed: 152,
  authenticationFailed: 153,
  passkeyRefused: 154,
} as const;

export const AGE_ERROR_CODES = {
  spoof: 1,
  desktopNotEnabled: -5,
  cameraFailure: -7,
  sessionExpired: -8,
  faceMismatch: -9,
  tooDark: -10,
  severalFaces: -11,
  payloadReplayed: -15,
  deviceMismatch: -16,
  modelLoadFailed: -20,
  faceScanError: -22,
  documentScanError: -23,
} as const;

/** Codes with which a device can give up. The last three occur in verification sessions only. */
export const CANCEL_CODES = [
  AGE_ERROR_CODES.desktopNotEnabled,
  AGE_ERROR_CODES.cameraFailure,
  AGE_ERROR_CODES.tooDark,
  AGE_ERROR_CODES.severalFaces,
  AGE_ERROR_CODES.modelLoadFailed,
  AGE_ERROR_CODES.faceScanError,
  AGE_ERROR_CODES.documentScanError,
  VERIFICATION_ERROR_CODES.enrollmentFailed,
  VERIFICATION_ERROR_CODES.authenticationFailed,
  VERIFICATION_ERROR_CODES.passkeyRefused,
] as const;
