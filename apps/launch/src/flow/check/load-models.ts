// Loads the models that a step of the plan needs, and waits if the service has none yet.
import type { PlanStep } from '@limen/sdk/device';
import type { ModelRole } from '../../face/index.ts';
import { type FaceEngine, ModelLoadError, type ModelThresholds } from '../../models/face-engine.ts';
import type { Platform } from '../platform.ts';

/**
 * A set of models that load together: all of a step, or the first part of the face's. `guidance`:
 * detects and follows a face. `person`: also distinguishes faces. The rest loads during the
 * movements.
 */
export type ModelStage = PlanStep['step'] | 'guidance' | 'person';

const RETRY_INTERVAL_MS = 3_000;
/** Limit since the first reply without models. After that the person decides whether to retry. */
const UNREADY_TIMEOUT_MS = 120_000;

const AGE_MODELS = ['age_small', 'age_deep'] as const;

export async function untilModelsReady({
  engine,
  platform,
  stage,
  steps,
  manifestHash,
  onProgress,
  signal,
}: {
  engine: FaceEngine;
  platform: Pick<Platform, 'after' | 'now'>;
  stage: ModelStage;
  /** All steps of the plan, because one step's findings may be compared in another. */
  steps: readonly PlanStep[];
  manifestHash: string | null;
  onProgress(progress: { share: number | null; unready?: boolean }): void;
  signal?: AbortSignal;
}): Promise<ModelThresholds> {
  const roles = listRoles(stage, steps);
  let unreadySince: number | undefined;
  for (;;) {
    try {
      return await engine.load({ roles, manifestHash, onProgress: (share) => onProgress({ share }) });
    } catch (error) {
      if (!(error instanceof ModelLoadError) || error.code !== 'unready') throw error;
      unreadySince ??= platform.now();
      if (platform.now() - unreadySince >= UNREADY_TIMEOUT_MS) throw error;
    }
    onProgress({ share: null, unready: true });
    await new Promise<void>((resolve) => platform.after(RETRY_INTERVAL_MS, resolve));
    signal?.throwIfAborted();
  }
}

export const GUIDANCE_MODELS = ['detect', 'landmarks', 'eye'] as const;
/** Needed without any comparison too: it shows that the same person is present throughout. */
const PERSON_MODELS = [...GUIDANCE_MODELS, 'embedding'] as const;

/** Lists the model roles of the steps that use the camera. */
function listRoles(stage: ModelStage, steps: readonly PlanStep[]): ModelRole[] {
  const has = (wanted: PlanStep['step']) => steps.some(({ step }) => step === wanted);
  if (stage === 'guidance') return [...GUIDANCE_MODELS];
  if (stage === 'person') return [...PERSON_MODELS];
  if (stage === 'identity_document')
    return has('face') ? ['document_text', 'detect', 'landmarks', 'embedding'] : ['document_text'];
  const wantsAge = steps.some((step) => step.step === 'face' && step.report !== 'none');
  return [...PERSON_MODELS, 'liveness', ...(wantsAge ? AGE_MODELS : [])];
}
