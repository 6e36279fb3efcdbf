// Everything that crosses the wire: request and response schemas, limits and error codes.
export * from './age-sessions.ts';
export * from './device.ts';
export * from './error-codes.ts';
export * from './errors.ts';
export * from './handoff.ts';
export * from './node.ts';
export * from './ref.ts';
export * from './risk.ts';
export * from './sanctions.ts';
export * from './screening-match.ts';
export * from './service.ts';
export type { LightPolicy } from './session-fields.ts';
export * from './strings.ts';
export * from './verification-device.ts';
export * from './verification-sessions.ts';
export * from './webhook-events.ts';
export * from './webhooks.ts';
export * from './yente.ts';
