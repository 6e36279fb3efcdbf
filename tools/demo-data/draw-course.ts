// Reports of an invented person's device, because the test mode has no device.
import type { LogEntry } from '@limen/plan';
import type { ChannelState } from '../../apps/server/src/sessions/device/channel-state.ts';
import { newChannelState } from '../../apps/server/src/sessions/device/state.ts';

export interface Course {
  openedAt: number;
  /** Time of the answer, or of leaving. */
  leftAt: number;
  /** Number of started steps. */
  steps: number;
  /** Whether the last of them was finished. */
  isFinished: boolean;
  /** From 0 to 1, drawn for this session. */
  luck: number;
}

const RETRIES = 0.1;
const HANDOFFS = 0.05;
/** Between the steps, and before the first. */
const PAUSE_MS = 1_200;

export function drawCourse({ openedAt, leftAt, steps, isFinished, luck }: Course): ChannelState {
  const stepMs = Math.max(1, Math.floor((leftAt - openedAt - PAUSE_MS) / Math.max(1, steps)));
  const log: LogEntry[] = [];
  for (let step = 0; step < steps; step += 1) {
    const begun = PAUSE_MS + step * stepMs;
    log.push(['started', step, begun]);
    if (step === 0 && luck < RETRIES) log.push(['retried', step, begun + Math.floor(stepMs / 2)]);
    if (isFinished || step < steps - 1) log.push(['finished', step, begun + Math.floor(stepMs * 0.9)]);
  }
  const isHandedOver = luck > 1 - HANDOFFS;
  const handoffMs = isHandedOver ? [Math.floor((leftAt - openedAt) / 3)] : [];
  return { ...newChannelState(openedAt), log, handoffMs };
}
