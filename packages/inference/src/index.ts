// Runs small networks on the processor: a few kilobytes of WebAssembly for the few operators that the models here have.
import type { KernelModule } from './kernel/kernel.ts';
import { type Graph, readGraph } from './onnx/read-graph.ts';
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

/** For inputs of that shape; without one, of that which the file says. Throws where the model has anything in it that is not known here. */
export function openNetwork(content: Uint8Array, module: KernelModule, shape?: readonly number[]): Network {
  return finish(openInSteps(content, module, shape));
}

/** The same a step at a time, for who has other things to do in between. */
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
    // What its last run left is in memory of its own, which nobody could reach any more.
    last.plan.forget();
    last = { key, plan: finish(makePlan(graph, shape, module)) };
    return last.plan;
  }
  return {
    run(values, shape) {
      if (countOf(shape) !== values.length)
        refuse(`it was given ${values.length} values for a shape of ${shape.join(' × ')}`);
      return planFor(shape).run(values);
    },
    forget: () => last.plan.forget(),
  };
}

/** Where only the number of pictures is left open, it is one as a rule. */
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
