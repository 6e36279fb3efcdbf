// Records the events between the start and the end of a face step without delays, except the light.
import type { PlanStep } from '@limen/plan';
import type { DeviceClient } from '../src/device.ts';

/** Records nothing for a step without a face. */
export async function recordMovements(device: DeviceClient, step: PlanStep | undefined): Promise<void> {
  if (step?.step !== 'face') return;
  for (const index of step.challenges.keys()) {
    await device.record('shown', index);
    await device.record('done', index);
    if (step.cameraRequest?.after === index) await device.record('asked', index);
  }
}
