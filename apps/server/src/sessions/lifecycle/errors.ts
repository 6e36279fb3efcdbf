// The texts of the error codes that the results of sessions carry, of either kind.
import { AGE_ERROR_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';

const CODES = { ...AGE_ERROR_CODES, ...VERIFICATION_ERROR_CODES };

export const SESSION_ERRORS: ReadonlyMap<number, string> = new Map([
  [CODES.spoof, 'Image spoof'],
  [CODES.desktopNotEnabled, 'Desktop not enabled'],
  [CODES.cameraFailure, 'Camera failure'],
  [CODES.sessionExpired, 'Session expired'],
  [CODES.faceMismatch, 'Face does not match the document'],
  [CODES.tooDark, 'Too dark'],
  [CODES.severalFaces, 'Several faces'],
  [CODES.payloadReplayed, 'Payload replayed'],
  [CODES.deviceMismatch, 'Device mismatch'],
  [CODES.modelLoadFailed, 'Model load failed'],
  [CODES.faceScanError, 'Face scan error'],
  [CODES.documentScanError, 'Document scan error'],
  [CODES.enrollmentFailed, 'Face enrollment failed'],
  [CODES.authenticationFailed, 'Face authentication failed'],
  [CODES.passkeyRefused, 'Passkey was not accepted'],
]);
