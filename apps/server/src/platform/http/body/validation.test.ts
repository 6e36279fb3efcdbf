// Validation messages say which value would be valid.
import {
  ClaimRequest,
  CreateAgeSessionRequest,
  CreateVerificationSessionRequest,
  ListWebhookDeliveriesQuery,
  MatchRequest,
  ReportRequest,
  ScreeningSubject,
  UNKNOWN_FIELDS_MAX,
  WatchSubjectRequest,
  YenteExample,
  YenteMatchRequest,
} from '@limen/contract';
import type { FastifySchemaValidationError } from 'fastify';
import { describe, expect, it } from 'vitest';
import { LARGE_BODY_BYTES, parseJson } from './json.ts';
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
])('explains an invalid body: %#', (schema, value, message) => {
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
])('reports one problem for a field with several types: %j', (value, message) => {
  const { properties } = CreateVerificationSessionRequest;
  expect(refusalOf({ type: 'object', properties }, value)).toBe(message);
});

it('lists the valid states, each once, for an unknown state', () => {
  const message = refusalOf(ListWebhookDeliveriesQuery, { state: 'foo' }, 'querystring');
  expect(message).toBe('query.state must be one of pending, delivered, dead');
});

it('quotes any other pattern as it is', () => {
  expect(refusalOf({ type: 'string', pattern: '^a+$' }, 'b')).toBe('body must match pattern "^a+$"');
});

it('asks for a path parameter what its schema asks', () => {
  const pathOf = (part: object) => ({
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string', ...part } },
  });
  expect(refusalOf(pathOf({ maxLength: 3 }), { id: 'abcd' }, 'params')).toBe('path.id must have at most 3 characters');
  expect(refusalOf(pathOf({ enum: ['a'] }), { id: 'b' }, 'params')).toBe('path.id must be one of a');
  expect(buildValidator({})({ schema: pathOf({ description: 'any' }), httpPart: 'params' })({ id: 'abcd' })).toBe(true);
});

const SCREENING = buildValidator({ ScreeningSubject, YenteExample });
const violationsOf = (schema: object, text: string) => {
  const validate = SCREENING({ schema, httpPart: 'body' });
  return validate(parseJson(Buffer.from(text))) ? [] : validate.errors!;
};
const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown${at}`, at]));

describe('unknown fields', () => {
  const inSubject = (fields: object) => ({ subjects: [{ name: 'A B', ...fields }] });
  const places: [where: string, schema: object, body: (fields: object) => object][] = [
    ['body', MatchRequest, (fields) => ({ ...inSubject({}), ...fields })],
    ['body.subjects.0', MatchRequest, inSubject],
    [
      'body.subjects.0.identifiers.0',
      MatchRequest,
      (fields) => inSubject({ identifiers: [{ value: 'A1234567', ...fields }] }),
    ],
    [
      'body.callback',
      WatchSubjectRequest,
      (fields) => ({ reference: 'r', callback: { url: 'https://a.b', ...fields } }),
    ],
    [
      'body.queries.q',
      YenteMatchRequest,
      (fields) => ({ queries: { q: { schema: 'Person', properties: {}, ...fields } } }),
    ],
  ];

  it.each(places)('of %s are accepted up to 200 and refused above it', (where, schema, body) => {
    const { properties } = schema as { properties: object };
    const text = (count: number) => JSON.stringify(body(unknown(count)));
    expect(Object.keys(properties)).not.toContain('maxUnknownFields');
    expect(violationsOf(schema, text(UNKNOWN_FIELDS_MAX))).toEqual([]);
    const violations = violationsOf(schema, text(UNKNOWN_FIELDS_MAX + 1)) as FastifySchemaValidationError[];
    expect(validationError(violations).message).toBe(`${where} must have at most 200 unknown fields`);
  });

  it('of a free-form object are not counted', () => {
    expect(violationsOf(CreateAgeSessionRequest, JSON.stringify({ metadata: unknown(1_000) }))).toEqual([]);
  });
});

describe('mistakes', () => {
  const body = (bytes: number) => {
    const subjects = '{"subjects":[{"name":1},{"name":2},{"name":3}],"note":"';
    return `${subjects}${'x'.repeat(bytes - subjects.length - 2)}"}`;
  };

  it('are all listed up to 64 KiB; above that only the first', () => {
    expect(violationsOf(MatchRequest, body(LARGE_BODY_BYTES))).toHaveLength(3);
    expect(violationsOf(MatchRequest, body(LARGE_BODY_BYTES + 1))).toHaveLength(1);
  });

  it('in a list that is too long are not looked for in a large body', () => {
    const text = `{"subjects":[${'{"name":1},'.repeat(10_000)}{}]}`;
    expect(violationsOf(MatchRequest, text)).toMatchObject([{ keyword: 'maxItems', instancePath: '/subjects' }]);
    const queries = Array.from({ length: 10_000 }, (_, at) => `"${at}":{}`).join();
    expect(violationsOf(YenteMatchRequest, `{"queries":{${queries}}}`)).toMatchObject([{ keyword: 'maxProperties' }]);
  });

  it('are located by a path of bounded length', () => {
    const text = JSON.stringify({ queries: { ['k'.repeat(50_000)]: 1 } });
    const violations = violationsOf(YenteMatchRequest, text) as FastifySchemaValidationError[];
    const [detail] = validationError(violations).details!;
    expect(detail).toEqual({ path: `body.queries.${'k'.repeat(186)}…`, message: 'must be an object' });
  });
});
