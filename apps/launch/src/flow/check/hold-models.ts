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

export type HeldModels = ReturnType<typeof holdModels>;

/** The models that follow are twice as large, and no one should hold still before a camera for more than 10 s. */
const SLOW_MS = 4_000;
/** Share of the bytes before the first movement that guidance takes; the models that tell people apart take the rest. */
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
    /** Before there is a plan: what guidance begins with, by the manifest that is served. Whether it comes or not is seen later. */
    warmUp(): void {
      const reportShare = (share: number) => onProgress({ share: share * GUIDANCE_SHARE });
      begunAt ??= platform.now();
      warming ??= engine
        .load({ roles: GUIDANCE_MODELS, manifestHash: null, onProgress: reportShare })
        .then(noteGuidance, () => undefined);
    },
    /** Whether guidance came so slowly that the other models of the first movement are still far away. */
    isSlow: (): boolean => (guidanceMs ?? 0) > SLOW_MS,
    /** A script did not come: another page may know where it is by now. */
    isOutOfDate: (): boolean => isOutOfDate,
    async bringCheck(): ReturnType<HoldModelsOptions['loadCheck']> {
      try {
        return await loadCheck();
      } catch (cause) {
        // Browsers may remember that it did not come, for as long as the page is open.
        isOutOfDate = true;
        throw new ModelLoadError('unstarted', { cause });
      }
    },
    /** Asked again, the engine knows what it still has: its worker may have died since. */
    bring({ steps, modelManifest: manifestHash }: DevicePlan, stage: ModelStage): Promise<ModelThresholds> {
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
        // It tells how far it is; and by the plan's manifest, nothing of it is fetched again.
        await warming;
        // The end closed the engine, and ended the warming by it: nothing is to be started anew.
        signal.throwIfAborted();
        // Of several it is the first that somebody waits for.
        const tell: typeof onProgress = (progress) => {
          if (coming.keys().next().value === stage) onProgress({ ...progress, share: barShare(stage, progress.share) });
        };
        const ready = await untilModelsReady({
          engine,
          platform,
          stage,
          steps,
          manifestHash,
          signal,
          onProgress: tell,
        });
        if (stage === 'guidance') noteGuidance();
        return ready;
      }
    },
  };
}

/** One bar until the first movement: the second stage goes on where the first one ended. */
function barShare(stage: ModelStage, share: number | null): number | null {
  if (share === null) return null;
  if (stage === 'guidance') return share * GUIDANCE_SHARE;
  return stage === 'person' ? GUIDANCE_SHARE + share * (1 - GUIDANCE_SHARE) : share;
}
