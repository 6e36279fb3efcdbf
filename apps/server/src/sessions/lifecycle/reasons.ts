// Texts of the error codes in session results, and the codes with which a device can give up.
import { listSessionErrors, SIMULATED_REASONS } from '@limen/contract';
import { AGE_ERROR_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';

const CODES = { ...AGE_ERROR_CODES, ...VERIFICATION_ERROR_CODES };

export const SESSION_ERRORS: ReadonlyMap<number, string> = new Map(
  listSessionErrors().map(({ code, message }) => [code, message]),
);

export function describeErrors(codes: readonly number[]) {
  return [...new Set(codes)].map((code) => ({ code, message: SESSION_ERRORS.get(code) ?? 'Unknown error' }));
}

/** Returns the codes that are findings about the face, as the risk names them. */
export function describeFindings(codes: readonly number[]) {
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
