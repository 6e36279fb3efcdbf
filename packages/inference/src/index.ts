// Runs small networks on the CPU: a few kilobytes of WebAssembly with the operators of our models.
import type { KernelModule } from './kernel/kernel.ts';
import { type Graph, readGraph } from './onnx/read-graph.ts';
import { makePlan, type Plan } from './plan/make-plan.ts';
import { countValues, refuse } from './tensor.ts';

export { canRelax, type KernelModule } from './kernel/kernel.ts';
export { UnsupportedModelError } from './tensor.ts';

export interface Network {
  /** Returns the outputs by name. */
  run(values: Float32Array, shape: readonly number[]): Record<string, Float32Array>;
  /** Overwrites the memory of the last run: input, intermediate values and results. */
  forget(): void;
}

/** Opens a network for that input shape. Throws UnsupportedModelError for unknown features. */
export function openNetwork(content: Uint8Array, module: KernelModule, shape?: readonly number[]): Network {
  return finish(openInSteps(content, module, shape));
}

/** Opens a network in steps, so that the caller can do other work in between. */
export function* openInSteps(
  content: Uint8Array,
  module: KernelModule,
  given?: readonly number[],
): Generator<void, Network> {
  const graph = readGraph(content);
  const opened = given ?? findShape(graph);
  let last = { key: opened.join(), plan: yield* makePlan(graph, opened, module) };
  function planFor(shape: readonly number[]): Plan {
    const key = shape.join();
    if (last.key === key) return last.plan;
    // The old plan's memory would be unreachable afterwards.
    last.plan.forget();
    last = { key, plan: finish(makePlan(graph, shape, module)) };
    return last.plan;
  }
  return {
    run(values, shape) {
      if (countValues(shape) !== values.length)
        refuse(`it was given ${values.length} values for a shape of ${shape.join(' × ')}`);
      return planFor(shape).run(values);
    },
    forget: () => last.plan.forget(),
  };
}

/** Assumes one picture if only their number is unspecified. */
function findShape({ input: { dims } }: Graph): number[] {
  const [pictures, ...sizes] = dims;
  if (sizes.some((size) => size === null)) refuse('its file leaves the size of its input open');
  return [pictures ?? 1, ...sizes.map(Number)];
}

function finish<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
