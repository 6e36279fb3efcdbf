// Brings the models that the plan's steps need, and waits for a service that has none to give yet.
import type { PlanStep } from '@limen/sdk/device';
import type { ModelRole } from '../face/index.ts';
import { type FaceEngine, ModelLoadError, type ModelThresholds } from '../models/face-engine.ts';
import type { Platform } from './platform.ts';

interface LoadOptions {
  engine: FaceEngine;
  platform: Pick<Platform, 'after'>;
  steps: readonly PlanStep[];
  manifestHash: string | null;
  onProgress(progress: { share: number | null; unready?: boolean }): void;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

const ASK_AGAIN_MS = 3_000;

export async function untilModelsReady({
  engine,
  platform,
  steps,
  manifestHash,
  onProgress,
  signal,
}: LoadOptions): Promise<ModelThresholds> {
  const roles = rolesOf(steps);
  for (;;) {
    try {
      return await engine.load({ roles, manifestHash, onProgress: (share) => onProgress({ share }) });
    } catch (error) {
      if (!(error instanceof ModelLoadError) || error.code !== 'unready') throw error;
    }
    onProgress({ share: null, unready: true });
    await new Promise<void>((resolve) => platform.after(ASK_AGAIN_MS, resolve));
    signal?.throwIfAborted();
  }
}

function rolesOf(steps: readonly PlanStep[]): ModelRole[] {
  const roles: ModelRole[] = ['detect', 'landmarks', 'eye', 'liveness', 'age_small', 'age_deep'];
  // Who is on the document is compared with who was in front of the camera.
  return steps.some(({ step }) => step === 'identity_document') ? [...roles, 'embedding'] : roles;
}
