// How much a model is worked over before it runs.
import type { ModelRole } from '../../face/index.ts';

export type Optimization = 'all' | 'disabled';

/** They run on every frame, and gain a sixth by it. */
const FREQUENT: ReadonlySet<ModelRole> = new Set(['detect', 'landmarks']);

/** The others gain less in a whole check than it takes. */
export function optimizationOf(role: ModelRole): Optimization {
  return FREQUENT.has(role) ? 'all' : 'disabled';
}
