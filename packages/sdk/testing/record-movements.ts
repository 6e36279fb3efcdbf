// What a device records of a face step between its beginning and its end, in no time: without the light, which takes some.
import type { PlanStep } from '@limen/plan';
import type { DeviceClient } from '../src/device.ts';

/** Nothing for a step without a face. */
export async function recordMovements(device: DeviceClient, step: PlanStep | undefined): Promise<void> {
  if (step?.step !== 'face') return;
  for (const index of step.challenges.keys()) {
    await device.record('shown', index);
    await device.record('done', index);
    if (step.cameraRequest?.after === index) await device.record('asked', index);
  }
}
