// Everything that crosses the wire: request and response schemas, limits and error codes.
export * from './error-codes.ts';
export * from './errors.ts';
export * from './node.ts';
export * from './ref.ts';
export * from './sanctions.ts';
export * from './service.ts';
export * from './strings.ts';
