// Signs of a camera that is not one; only the camera in use counts, not what else is installed.
import type { Detectors } from './browser-facts.ts';
import { isSuspiciousCamera, isVirtualCamera } from './camera-names.ts';

export const VIRTUAL_CAMERA_DETECTORS: Detectors<'virtualCamera'> = {
  virtualCameraSoftware: ({ cameraLabel }) => cameraLabel !== null && isVirtualCamera(cameraLabel),

  suspiciousLabels: ({ cameraLabel }) => cameraLabel !== null && isSuspiciousCamera(cameraLabel),

  noMediaDevices: async ({ browser }) => {
    const devices = await browser.navigator.mediaDevices?.enumerateDevices();
    return devices?.every(({ kind }) => kind !== 'videoinput') ?? false;
  },

  mediaDevicesError: async ({ browser }) => {
    const { mediaDevices } = browser.navigator;
    if (mediaDevices === undefined) return true;
    try {
      await mediaDevices.enumerateDevices();
      return false;
    } catch {
      return true;
    }
  },
};
