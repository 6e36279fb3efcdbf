// Runs small networks on the processor: a few kilobytes of WebAssembly for the few operators that the models here have.
import type { KernelModule } from './kernel/kernel.ts';
import { readGraph } from './onnx/read-graph.ts';
import { makePlan, type Plan } from './plan/make-plan.ts';

export type { KernelModule } from './kernel/kernel.ts';
export { UnsupportedModelError } from './tensor.ts';

export interface Network {
  /** The outputs by name. */
  run(values: Float32Array, shape: readonly number[]): Record<string, Float32Array>;
}

/** Throws where the model has anything in it that is not known here. */
export function openNetwork(content: Uint8Array, module: KernelModule): Network {
  const graph = readGraph(content);
  let plan: { key: string; plan: Plan } | undefined;
  function planFor(shape: readonly number[]): Plan {
    const key = shape.join('×');
    if (plan?.key !== key) plan = { key, plan: makePlan(graph, shape, module) };
    return plan.plan;
  }
  // The sizes that it does not say are those of a batch, which is one picture as a rule.
  planFor(graph.input.dims.map((size) => size ?? 1));
  return { run: (values, shape) => planFor(shape).run(values) };
}
