// Runs every detector in bounded time and names the indicators found.
import type { AgeDeviceAnswer, Indicators } from '@limen/contract';
import { ANOMALY_DETECTORS } from './anomalies.ts';
import type { Detector, Detectors, SignalEnvironment } from './browser-facts.ts';
import { isSuspiciousCamera, isVirtualCamera } from './camera-names.ts';
import { HEADLESS_DETECTORS } from './headless.ts';

const VIRTUAL_CAMERA_DETECTORS: Detectors<'virtualCamera'> = {
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

const DETECTORS: { [Group in keyof Indicators]: Detectors<Group> } = {
  headless: HEADLESS_DETECTORS,
  virtualCamera: VIRTUAL_CAMERA_DETECTORS,
  browserAnomalies: ANOMALY_DETECTORS,
};

/** Ten times the duration of the slowest detector. */
const DEADLINE_MS = 1500;

type SeenSignals = NonNullable<AgeDeviceAnswer['indicators']>;

/** Never rejects. Detectors that miss the deadline count as not raised. */
export async function collectSignals(environment: SignalEnvironment, deadline?: Promise<void>): Promise<SeenSignals> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late =
    deadline ??
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DEADLINE_MS);
    });
  const list = async (detectors: Record<string, Detector>) => {
    const runs = Object.entries(detectors).map(async ([name, detect]) => {
      const seen = await Promise.race([runSafely(detect, environment), late]);
      return seen === true ? [name] : [];
    });
    return (await Promise.all(runs)).flat();
  };
  const [headless, virtualCamera, browserAnomalies] = await Promise.all([
    list(DETECTORS.headless),
    list(DETECTORS.virtualCamera),
    list(DETECTORS.browserAnomalies),
  ]);
  clearTimeout(timer);
  return { headless, virtualCamera, browserAnomalies };
}

async function runSafely(detect: Detector, environment: SignalEnvironment): Promise<boolean> {
  try {
    return await detect(environment);
  } catch {
    return false;
  }
}
