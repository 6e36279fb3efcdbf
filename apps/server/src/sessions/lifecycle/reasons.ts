// Texts of the error codes in session results, and the codes with which a device can give up.
import { SIMULATED_REASONS } from '@limen/contract';
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

export function describeErrors(codes: readonly number[]) {
  return [...new Set(codes)].map((code) => ({ code, message: SESSION_ERRORS.get(code) ?? 'Unknown error' }));
}

/** Returns the codes that are findings about the face, as the risk names them. */
export function findingsOf(codes: readonly number[]) {
  return [
    ...(codes.includes(CODES.spoof) ? (['faceSpoof'] as const) : []),
    ...(codes.includes(CODES.faceMismatch) ? (['faceMismatch'] as const) : []),
  ];
}

/** `document`: also true if a document is requested only when the face is not enough. */
export function listPossibleReasons(asked: Record<'face' | 'document' | 'enableDesktop', boolean>): number[] {
  const impossible = new Set<number>([
    ...(asked.enableDesktop ? [AGE_ERROR_CODES.desktopNotEnabled] : []),
    ...(asked.face ? [] : [AGE_ERROR_CODES.severalFaces, AGE_ERROR_CODES.faceScanError]),
    ...(asked.document ? [] : [AGE_ERROR_CODES.documentScanError]),
  ]);
  return SIMULATED_REASONS.filter((code) => !impossible.has(code));
}
