// Loads the check's code and the models of the plan's steps: once at a time, and again after a
// failure.
import type { DevicePlan } from '@limen/sdk/device';
import { type FaceEngine, ModelLoadError, type ModelThresholds } from '../../models/face-engine.ts';
import type { Platform } from '../platform.ts';
import { GUIDANCE_MODELS, type ModelStage, untilModelsReady } from './load-models.ts';

export interface HoldModelsOptions {
  engine: FaceEngine;
  platform: Pick<Platform, 'after' | 'now'>;
  /** Imports the code of the check, which the first screen does not need. */
  loadCheck(): Promise<Pick<typeof import('./run-check.ts'), 'runCheck'>>;
  signal: AbortSignal;
  onProgress(progress: { share: number | null; unready?: boolean }): void;
}

export type HeldModels = ReturnType<typeof holdModels>;

/** The later models are twice as large, and no one should hold still for more than 10 s. */
const SLOW_MS = 4_000;
/** Share of guidance in the bytes before the first movement. The rest is for `person`. */
const GUIDANCE_SHARE = 0.35;

export function holdModels({ engine, platform, loadCheck, signal, onProgress }: HoldModelsOptions) {
  const coming = new Map<ModelStage, Promise<ModelThresholds>>();
  let isOutOfDate = false;
  let warming: Promise<unknown> | undefined;
  let begunAt: number | undefined;
  let guidanceMs: number | undefined;
  const noteGuidance = () => {
    if (begunAt !== undefined) guidanceMs ??= platform.now() - begunAt;
  };
  return {
    /** Loads the guidance models before there is a plan. Failures surface in `load`. */
    warmUp(): void {
      const reportShare = (share: number) => onProgress({ share: share * GUIDANCE_SHARE });
      begunAt ??= platform.now();
      warming ??= engine
        .load({ roles: GUIDANCE_MODELS, manifestHash: null, onProgress: reportShare })
        .then(noteGuidance, () => undefined);
    },
    /** Returns whether guidance loaded so slowly that the remaining models are still far away. */
    isSlow: (): boolean => (guidanceMs ?? 0) > SLOW_MS,
    /** Returns whether a script was missing. A reloaded page may find its current address. */
    isOutOfDate: (): boolean => isOutOfDate,
    async loadCheck(): ReturnType<HoldModelsOptions['loadCheck']> {
      try {
        return await loadCheck();
      } catch (cause) {
        // Browsers may cache the failed import until the page closes.
        isOutOfDate = true;
        throw new ModelLoadError('unstarted', { cause });
      }
    },
    /** Loads a stage. Asks the engine even after a success: its worker may have died. */
    load({ steps, modelManifest: manifestHash }: DevicePlan, stage: ModelStage): Promise<ModelThresholds> {
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
        begunAt ??= platform.now();
        // Reports its own progress. Files that the plan's manifest shares with it are not fetched
        // again.
        await warming;
        // The end closed the engine and with it the warm-up. Start nothing again.
        signal.throwIfAborted();
        // Reports only the oldest stage, which is the awaited one.
        const report: typeof onProgress = (progress) => {
          if (coming.keys().next().value === stage) onProgress({ ...progress, share: barShare(stage, progress.share) });
        };
        const ready = await untilModelsReady({
          engine,
          platform,
          stage,
          steps,
          manifestHash,
          signal,
          onProgress: report,
        });
        if (stage === 'guidance') noteGuidance();
        return ready;
      }
    },
  };
}

/** Maps two stages to one bar. The second continues where the first ended. */
function barShare(stage: ModelStage, share: number | null): number | null {
  if (share === null) return null;
  if (stage === 'guidance') return share * GUIDANCE_SHARE;
  return stage === 'person' ? GUIDANCE_SHARE + share * (1 - GUIDANCE_SHARE) : share;
}
