// Loads the models of a face step in the order of need, and again after a failure or a worker
// crash.
import type { ModelThresholds } from '../../models/face-engine.ts';
import type { ModelStage } from './load-models.ts';

export function stageModels(load: (stage: ModelStage) => Promise<ModelThresholds>) {
  let canTie = false;
  let stages = ask();

  function ask() {
    const own = {
      guidance: memoizeSuccess(() => load('guidance')),
      person: memoizeSuccess(async () => {
        const thresholds = await load('person');
        if (own === stages) canTie = true;
        return thresholds;
      }),
      rest: memoizeSuccess(() => load('face')),
    };
    return own;
  }

  return {
    /** Loads all stages in the order of need. Settles with the guidance models. */
    load(): Promise<ModelThresholds> {
      const asked = stages.guidance();
      stages.person().catch(() => undefined);
      stages.rest().catch(() => undefined);
      return asked;
    },
    /** Settles with the models that tell faces apart. Retries once if they failed to load. */
    person: (): Promise<ModelThresholds> => stages.person(),
    /** Settles with all models of the step. Retries once if they failed to load. */
    rest: (): Promise<ModelThresholds> => stages.rest(),
    /** Whether the models that tell faces apart are loaded. */
    canTie: (): boolean => canTie,
    /** Forgets all models after a worker crash, so that they are loaded again. */
    reset(): void {
      canTie = false;
      stages = ask();
    },
  };
}

/** Memoizes the call, and retries only after a failure. */
function memoizeSuccess<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let asked: Promise<Result> | undefined;
  return () => {
    asked ??= ask().catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
}
