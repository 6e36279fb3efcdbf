// Runs small networks on the processor: a few kilobytes of WebAssembly for the few operators that the models here have.
import type { KernelModule } from './kernel/kernel.ts';
import { readGraph } from './onnx/read-graph.ts';
import { makePlan, type Plan } from './plan/make-plan.ts';
import { countOf, refuse } from './tensor.ts';

export { canRelax, type KernelModule } from './kernel/kernel.ts';
export { UnsupportedModelError } from './tensor.ts';

export interface Network {
  /** The outputs by name. */
  run(values: Float32Array, shape: readonly number[]): Record<string, Float32Array>;
  /** Overwrites what the last run left in memory: the picture, everything computed from it, and the results. */
  forget(): void;
}

/** Throws where the model has anything in it that is not known here. */
export function openNetwork(content: Uint8Array, module: KernelModule): Network {
  const graph = readGraph(content);
  let last: { key: string; plan: Plan } | undefined;
  function planFor(shape: readonly number[]): Plan {
    if (!shape.every((size) => Number.isInteger(size) && size >= 1))
      refuse(`its input is of ${shape.join(' × ')} values`);
    const key = shape.join();
    if (last?.key !== key) last = { key, plan: makePlan(graph, shape, module) };
    return last.plan;
  }
  // Where only the number of pictures is left open, it is one as a rule. Else it is planned when it runs.
  const [, ...known] = graph.input.dims;
  if (known.every((size) => size !== null)) planFor([graph.input.dims[0] ?? 1, ...known]);
  return {
    run(values, shape) {
      if (countOf(shape) !== values.length)
        refuse(`it was given ${values.length} values for a shape of ${shape.join(' × ')}`);
      return planFor(shape).run(values);
    },
    forget: () => last?.plan.forget(),
  };
}
