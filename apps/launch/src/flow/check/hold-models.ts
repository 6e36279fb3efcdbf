// The models of the plan's steps: brought once at a time, and asked for again after a failure.
import type { DevicePlan, PlanStep } from '@limen/sdk/device';
import { type FaceEngine, ModelLoadError, type ModelThresholds } from '../../models/face-engine.ts';
import type { Platform } from '../platform.ts';
import { untilModelsReady } from './load-models.ts';

interface HoldModelsOptions {
  engine: FaceEngine;
  platform: Pick<Platform, 'after'>;
  /** Ends all waiting. */
  signal: AbortSignal;
  onProgress(progress: { share: number | null; unready?: boolean }): void;
}

export interface HeldModels {
  /** Asked again, the engine knows what it still has: its worker may have died since. */
  bring(plan: DevicePlan, step: PlanStep['step']): Promise<ModelThresholds>;
  /** The worker's script did not come: another page may know where it is by now. */
  isOutOfDate(): boolean;
}

export function holdModels({ engine, platform, signal, onProgress }: HoldModelsOptions): HeldModels {
  const coming = new Map<PlanStep['step'], Promise<ModelThresholds>>();
  let isOutOfDate = false;
  return {
    isOutOfDate: () => isOutOfDate,
    bring({ steps, modelManifest: manifestHash }, step) {
      const begun = coming.get(step);
      if (begun !== undefined) return begun;
      const loading = untilModelsReady({ engine, platform, step, steps, manifestHash, signal, onProgress });
      coming.set(step, loading);
      const settle = (error?: unknown) => {
        coming.delete(step);
        isOutOfDate = error instanceof ModelLoadError && error.code === 'unstarted';
      };
      loading.then(() => settle(), settle);
      return loading;
    },
  };
}
