// Why a device can give up, by what its session asks for: the test mode makes no other reason.

import { SIMULATED_REASONS } from '@limen/contract';
import { AGE_ERROR_CODES } from '@limen/plan';

export interface AskedOfDevice {
  face: boolean;
  /** Also where it is asked for only when the face does not suffice. */
  document: boolean;
  enableDesktop: boolean;
}

export function listPossibleReasons({ face, document, enableDesktop }: AskedOfDevice): number[] {
  const impossible = new Set<number>([
    ...(enableDesktop ? [AGE_ERROR_CODES.desktopNotEnabled] : []),
    ...(face ? [] : [AGE_ERROR_CODES.severalFaces, AGE_ERROR_CODES.faceScanError]),
    ...(document ? [] : [AGE_ERROR_CODES.documentScanError]),
  ]);
  return SIMULATED_REASONS.filter((code) => !impossible.has(code));
}
