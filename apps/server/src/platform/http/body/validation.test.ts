// What a refused field is told, in words that say what would be right.
import {
  ClaimRequest,
  CreateAgeSessionRequest,
  CreateVerificationSessionRequest,
  ListWebhookDeliveriesQuery,
  ReportRequest,
} from '@limen/contract';
import type { FastifySchemaValidationError } from 'fastify';
import { expect, it } from 'vitest';
import { buildValidator, validationError } from './validation.ts';

function refusalOf(schema: object, value: unknown, httpPart = 'body'): string {
  const validate = buildValidator({})({ schema, httpPart });
  if (validate(value)) throw new Error('it is valid');
  return validationError(validate.errors as FastifySchemaValidationError[], httpPart).message;
}

it.each([
  [CreateAgeSessionRequest, { requirements: [] }, 'body.requirements must have at least 1 entry'],
  [CreateAgeSessionRequest, { requirements: ['face', 'face'] }, 'body.requirements must not have the same entry twice'],
  [
    CreateAgeSessionRequest,
    { requirements: ['x'] },
    'body.requirements.0 must be one of face, identity_document, wallet_proof',
  ],
  [ClaimRequest, { publicKey: 'short' }, 'body.publicKey must be 87 characters of base64url'],
  [ClaimRequest, { publicKey: 'B'.repeat(87), code: '=' }, 'body.code must be 22 characters of base64url'],
  [
    ReportRequest,
    { from: 0, entries: Array(161).fill(['started', 0, 0]) },
    'body.entries must have at most 160 entries',
  ],
  [{ type: 'array', minItems: 2 }, [], 'body must have at least 2 entries'],
])('a body is told: %#', (schema, value, message) => {
  expect(refusalOf(schema, value)).toBe(message);
});

it.each([
  [{ sessionExpiry: 86_401 }, 'body.sessionExpiry must be 86400 or less'],
  [{ sessionExpiry: 0 }, 'body.sessionExpiry must be 1 or more'],
  [{ sessionExpiry: '' }, 'body.sessionExpiry must not be empty'],
  [{ sessionExpiry: true }, 'body.sessionExpiry must be a number or string'],
  [{ debugMode: ['4'] }, 'body.debugMode.0 must be one of 1, 2, 3'],
  [{ debugMode: ['1', '1'] }, 'body.debugMode must not have the same entry twice'],
  [{ debugMode: 2 }, 'body.debugMode must be a boolean or array'],
])('a field of one type or another is told the one thing that is wrong: %j', (value, message) => {
  const { properties } = CreateVerificationSessionRequest;
  expect(refusalOf({ type: 'object', properties }, value)).toBe(message);
});

it('a state that there is not is told those that there are, once', () => {
  const message = refusalOf(ListWebhookDeliveriesQuery, { state: 'foo' }, 'querystring');
  expect(message).toBe('query.state must be one of pending, delivered, dead');
});

it('another pattern is told as it is', () => {
  expect(refusalOf({ type: 'string', pattern: '^a+$' }, 'b')).toBe('body must match pattern "^a+$"');
});

it('a part of a path is asked for what its schema asks', () => {
  const pathOf = (part: object) => ({
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string', ...part } },
  });
  expect(refusalOf(pathOf({ maxLength: 3 }), { id: 'abcd' }, 'params')).toBe('path.id must have at most 3 characters');
  expect(refusalOf(pathOf({ enum: ['a'] }), { id: 'b' }, 'params')).toBe('path.id must be one of a');
  expect(buildValidator({})({ schema: pathOf({ description: 'any' }), httpPart: 'params' })({ id: 'abcd' })).toBe(true);
});
