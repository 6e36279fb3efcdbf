// The models of a face step: asked for in the order of need, and again where they did not come or a worker lost them.
import type { ModelThresholds } from '../../models/face-engine.ts';
import type { ModelStage } from './load-models.ts';

export function stageModels(load: (stage: ModelStage) => Promise<ModelThresholds>) {
  let canTie = false;
  let stages = ask();

  function ask() {
    const own = {
      guidance: askOnce(() => load('guidance')),
      person: askOnce(async () => {
        const thresholds = await load('person');
        if (own === stages) canTie = true;
        return thresholds;
      }),
      rest: askOnce(() => load('face')),
    };
    return own;
  }

  return {
    /** All at once, in the order of need, which is the order in which they are brought. Settles with what guidance needs. */
    bring(): Promise<ModelThresholds> {
      const asked = stages.guidance();
      stages.person().catch(() => undefined);
      stages.rest().catch(() => undefined);
      return asked;
    },
    /** Settles with what knows one face from another. What did not come before is asked for once more. */
    person: (): Promise<ModelThresholds> => stages.person(),
    /** The same for all that the step needs. */
    rest: (): Promise<ModelThresholds> => stages.rest(),
    /** Whether what knows one face from another is there. */
    canTie: (): boolean => canTie,
    /** A worker is gone, and what it had with it: whatever comes next is asked for anew. */
    lose(): void {
      canTie = false;
      stages = ask();
    },
  };
}

/** Once, and again only after a failure. */
function askOnce<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let asked: Promise<Result> | undefined;
  return () => {
    asked ??= ask().catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
}
