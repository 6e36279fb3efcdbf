// The check and the models of the plan's steps: brought once at a time, and asked for again after a failure.
import type { DevicePlan } from '@limen/sdk/device';
import { type FaceEngine, ModelLoadError, type ModelThresholds } from '../../models/face-engine.ts';
import type { Platform } from '../platform.ts';
import { GUIDANCE_MODELS, type ModelStage, untilModelsReady } from './load-models.ts';

export interface HoldModelsOptions {
  engine: FaceEngine;
  platform: Pick<Platform, 'after' | 'now'>;
  /** The code of the check, which the first screen does without. */
  loadCheck(): Promise<Pick<typeof import('./run-check.ts'), 'runCheck'>>;
  /** Ends all waiting. */
  signal: AbortSignal;
  onProgress(progress: { share: number | null; unready?: boolean }): void;
}

export interface HeldModels {
  /** Before there is a plan: what guidance begins with, by the manifest that is served. Whether it comes or not is seen later. */
  warmUp(): void;
  /** Asked again, the engine knows what it still has: its worker may have died since. */
  bring(plan: DevicePlan, stage: ModelStage): Promise<ModelThresholds>;
  bringCheck(): ReturnType<HoldModelsOptions['loadCheck']>;
  /** A script did not come: another page may know where it is by now. */
  isOutOfDate(): boolean;
}

export function holdModels({ engine, platform, loadCheck, signal, onProgress }: HoldModelsOptions): HeldModels {
  const coming = new Map<ModelStage, Promise<ModelThresholds>>();
  let isOutOfDate = false;
  let warming: Promise<unknown> | undefined;
  return {
    warmUp() {
      const told = (share: number) => onProgress({ share });
      warming ??= engine.load({ roles: GUIDANCE_MODELS, manifestHash: null, onProgress: told }).catch(() => undefined);
    },
    isOutOfDate: () => isOutOfDate,
    async bringCheck() {
      try {
        return await loadCheck();
      } catch (cause) {
        // Browsers may remember that it did not come, for as long as the page is open.
        isOutOfDate = true;
        throw new ModelLoadError('unstarted', { cause });
      }
    },
    bring({ steps, modelManifest: manifestHash }, stage) {
      const begun = coming.get(stage);
      if (begun !== undefined) return begun;
      const loading = load();
      coming.set(stage, loading);
      const settle = (error?: unknown) => {
        coming.delete(stage);
        isOutOfDate = error instanceof ModelLoadError && error.code === 'unstarted';
      };
      loading.then(() => settle(), settle);
      return loading;

      async function load(): Promise<ModelThresholds> {
        // It tells how far it is; and by the plan's manifest, nothing of it is fetched again.
        await warming;
        // The end closed the engine, and ended the warming by it: nothing is to be started anew.
        signal.throwIfAborted();
        // Of several it is the first that somebody waits for.
        const tell: typeof onProgress = (progress) => {
          if (coming.keys().next().value === stage) onProgress(progress);
        };
        return untilModelsReady({ engine, platform, stage, steps, manifestHash, signal, onProgress: tell });
      }
    },
  };
}
