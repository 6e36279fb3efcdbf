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
/** About two minutes: then the person is told, and decides. */
const MOST_ASKS = 40;

export async function untilModelsReady({
  engine,
  platform,
  steps,
  manifestHash,
  onProgress,
  signal,
}: LoadOptions): Promise<ModelThresholds> {
  const roles = rolesOf(steps);
  if (roles.length === 0) return new Map();
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

function rolesOf(steps: readonly PlanStep[]): ModelRole[] {
  if (!steps.some(({ step }) => step === 'face')) return [];
  const roles: ModelRole[] = ['detect', 'landmarks', 'eye', 'liveness', 'age_small', 'age_deep'];
  // Who is on the document is compared with who was in front of the camera. Also where it is known only later whether a
  // document is asked for: the frames of the face are gone by then, so they are made comparable while they are there.
  return steps.some(({ step }) => step === 'identity_document') ? [...roles, 'embedding'] : roles;
}
