// The evaluator's role: the service's operations on tokens that it cannot read.
export { Evaluator, type EvaluatorOptions, type FoldedProbe } from './evaluator.ts';
export type { RenewalMask } from './renewal-mask.ts';
export type { TokenArena } from './token-arena.ts';
export { TokenMemoryFull } from './token-memory.ts';
