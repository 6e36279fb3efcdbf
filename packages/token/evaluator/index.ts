// The evaluator's role: what the service does with tokens it cannot read.
export { type Evaluator, type EvaluatorOptions, type FoldedProbe, openEvaluator } from './evaluator.ts';
export type { RenewalMask } from './renewal-mask.ts';
export type { TokenArena } from './token-arena.ts';
export { TokenMemoryFull } from './token-memory.ts';
