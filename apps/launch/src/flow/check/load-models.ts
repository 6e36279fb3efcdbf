// Brings the models that a step of the plan needs, and waits for a service that has none to give yet.
import type { PlanStep } from '@limen/sdk/device';
import type { ModelRole } from '../../face/index.ts';
import { type FaceEngine, ModelLoadError, type ModelThresholds } from '../../models/face-engine.ts';
import type { Platform } from '../platform.ts';

interface LoadOptions {
  engine: FaceEngine;
  platform: Pick<Platform, 'after'>;
  step: PlanStep['step'];
  /** All of the plan: what one step finds may be compared in another. */
  steps: readonly PlanStep[];
  manifestHash: string | null;
  onProgress(progress: { share: number | null; unready?: boolean }): void;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

const ASK_AGAIN_MS = 3_000;
/** About two minutes: then the person is told, and decides. */
const MOST_ASKS = 40;

const AGE_MODELS = ['age_small', 'age_deep'] as const;

export async function untilModelsReady({
  engine,
  platform,
  step,
  steps,
  manifestHash,
  onProgress,
  signal,
}: LoadOptions): Promise<ModelThresholds> {
  const roles = rolesOf(step, steps);
  for (let asked = 1; ; asked += 1) {
    try {
      return await engine.load({ roles, manifestHash, onProgress: (share) => onProgress({ share }) });
    } catch (error) {
      if (!(error instanceof ModelLoadError) || error.code !== 'unready' || asked >= MOST_ASKS) throw error;
    }
    onProgress({ share: null, unready: true });
    await new Promise<void>((resolve) => platform.after(ASK_AGAIN_MS, resolve));
    signal?.throwIfAborted();
  }
}

/** Of those steps that look at something. */
function rolesOf(step: PlanStep['step'], steps: readonly PlanStep[]): ModelRole[] {
  const has = (wanted: PlanStep['step']) => steps.some((one) => one.step === wanted);
  if (step === 'identity_document')
    return has('face') ? ['document_text', 'detect', 'landmarks', 'embedding'] : ['document_text'];
  const wantsAge = steps.some((one) => one.step === 'face' && one.report !== 'none');
  // The last one also where nobody is compared with anybody: it shows that one person is there from beginning to end.
  return ['detect', 'landmarks', 'eye', 'liveness', ...(wantsAge ? AGE_MODELS : []), 'embedding'];
}
