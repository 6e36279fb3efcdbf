// Brings the models that a step of the plan needs, and waits for a service that has none to give yet.
import type { PlanStep } from '@limen/sdk/device';
import type { ModelRole } from '../../face/index.ts';
import { type FaceEngine, ModelLoadError, type ModelThresholds } from '../../models/face-engine.ts';
import type { Platform } from '../platform.ts';

/**
 * What is brought together: all that a step needs, or of the face what is needed first. `guidance`: finds a face and follows it.
 * `person`: knows one face from another too. The rest comes while the person moves.
 */
export type ModelStage = PlanStep['step'] | 'guidance' | 'person';

const ASK_AGAIN_MS = 3_000;
/** Since the service first said that it has none: then the person is told, and decides. Each ask takes its time too. */
const MOST_MS = 120_000;

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
  /** All of the plan: what one step finds may be compared in another. */
  steps: readonly PlanStep[];
  manifestHash: string | null;
  onProgress(progress: { share: number | null; unready?: boolean }): void;
  /** Ends the waiting. */
  signal?: AbortSignal;
}): Promise<ModelThresholds> {
  const roles = rolesOf(stage, steps);
  let unreadySince: number | undefined;
  for (;;) {
    try {
      return await engine.load({ roles, manifestHash, onProgress: (share) => onProgress({ share }) });
    } catch (error) {
      if (!(error instanceof ModelLoadError) || error.code !== 'unready') throw error;
      unreadySince ??= platform.now();
      if (platform.now() - unreadySince >= MOST_MS) throw error;
    }
    onProgress({ share: null, unready: true });
    await new Promise<void>((resolve) => platform.after(ASK_AGAIN_MS, resolve));
    signal?.throwIfAborted();
  }
}

export const GUIDANCE_MODELS = ['detect', 'landmarks', 'eye'] as const;
/** Also where nobody is compared with anybody: it shows that one person is there from beginning to end. */
const PERSON_MODELS = [...GUIDANCE_MODELS, 'embedding'] as const;

/** Of those steps that look at something. */
function rolesOf(stage: ModelStage, steps: readonly PlanStep[]): ModelRole[] {
  const has = (wanted: PlanStep['step']) => steps.some((one) => one.step === wanted);
  if (stage === 'guidance') return [...GUIDANCE_MODELS];
  if (stage === 'person') return [...PERSON_MODELS];
  if (stage === 'identity_document')
    return has('face') ? ['document_text', 'detect', 'landmarks', 'embedding'] : ['document_text'];
  const wantsAge = steps.some((one) => one.step === 'face' && one.report !== 'none');
  return [...PERSON_MODELS, 'liveness', ...(wantsAge ? AGE_MODELS : [])];
}
