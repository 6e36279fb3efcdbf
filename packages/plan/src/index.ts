// What the service, the SDK and the page agree on about a session's course: the service judges with it, the SDK checks with
// it, the page walks it. Each decides anew; sharing the rules is not sharing trust.

export * from './age-error-codes.ts';
export * from './compare-ages.ts';
export * from './documents.ts';
export * from './indicators.ts';
export * from './light.ts';
export * from './log.ts';
export * from './measure-log.ts';
export * from './message-limits.ts';
export * from './proofs.ts';
export * from './steps.ts';
export * from './steps-due.ts';
export * from './walk-log.ts';
