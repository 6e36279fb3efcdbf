// Rules of a session's course shared by service, SDK and page. Each decides for itself; sharing
// rules does not share trust.

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
