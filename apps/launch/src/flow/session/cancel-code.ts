// Maps the screen on which the person gives up to the code that the host receives.
import { AGE_ERROR_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';
import type { DeviceClient } from '@limen/sdk/device';
import type { Problem, Screen } from '../../course/screens.ts';

export type CancelCode = Parameters<DeviceClient['cancel']>[0];

const { enrollmentFailed, authenticationFailed, passkeyRefused } = VERIFICATION_ERROR_CODES;

const PROBLEM_CODES: Readonly<Record<Problem, CancelCode>> = {
  dark: AGE_ERROR_CODES.tooDark,
  faces: AGE_ERROR_CODES.severalFaces,
  scan: AGE_ERROR_CODES.faceScanError,
  unplugged: AGE_ERROR_CODES.cameraFailure,
  models: AGE_ERROR_CODES.modelLoadFailed,
  broken: AGE_ERROR_CODES.modelLoadFailed,
  unsupported: AGE_ERROR_CODES.modelLoadFailed,
  unexpected: AGE_ERROR_CODES.faceScanError,
  // The service reports these itself.
  unavailable: undefined,
  full: undefined,
};

/** Returns undefined without a failure. `hasFailedTry`: of the running document step. */
export function getCancelCode(screen: Screen, hasFailedTry: boolean): CancelCode {
  const tried = hasFailedTry ? AGE_ERROR_CODES.documentScanError : undefined;
  switch (screen.name) {
    case 'permission':
      return screen.state === 'explain' || screen.state === 'asking' ? tried : AGE_ERROR_CODES.cameraFailure;
    case 'handoff':
      return screen.reason === 'desktop' ? AGE_ERROR_CODES.desktopNotEnabled : undefined;
    case 'welcome':
      return screen.phoneOnly ? AGE_ERROR_CODES.desktopNotEnabled : undefined;
    case 'document_problem':
      // Choosing a file that is no image is not a try.
      return screen.problem === 'unusable_file' ? tried : AGE_ERROR_CODES.documentScanError;
    case 'not_recognized':
    case 'wait':
      return screen.isEnrolment ? enrollmentFailed : authenticationFailed;
    case 'passkey':
      return screen.state === 'refused' || screen.state === 'unsupported' ? passkeyRefused : undefined;
    case 'problem':
      return PROBLEM_CODES[screen.problem];
    case 'working':
      // The answer was complete, so nothing had failed.
      return screen.doing === 'sending' ? undefined : tried;
    default:
      return tried;
  }
}
