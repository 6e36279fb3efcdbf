import { expect, it } from 'vitest';
import { sampleValue, writeJson, writeSamples } from './sample-request.ts';

const schemas = { Feature: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } };

it.each([
  [{ examples: [{ a: 1 }], type: 'object' }, { a: 1 }],
  [{ type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 5 }, other: {} } }, { n: 5 }],
  [{ type: 'array', items: { $ref: '#/components/schemas/Feature' } }, [{ id: '<id>' }]],
  [{ enum: ['ENROLL', 'VERIFY'] }, 'ENROLL'],
  [{ anyOf: [{ const: 7 }, { type: 'string' }] }, 7],
  [{ type: ['boolean', 'null'] }, true],
  [{ type: 'number', default: 0 }, 0],
])('a body that fits %j', (schema, sample) => {
  expect(sampleValue(schema, schemas)).toEqual(sample);
});

it('numbers stand in one line, and all else in lines of their own', () => {
  const value = { vector: [0.5, -1, 2e-7], names: ['a', 'b'] };
  expect(writeJson(value)).toBe('{\n  "vector": [ 0.5, -1, 2e-7 ],\n  "names": [\n    "a",\n    "b"\n  ]\n}');
  expect(JSON.parse(writeJson(value))).toEqual(value);
});

it('a quote in a body stays within the shell’s quotes', () => {
  const [curl] = writeSamples({
    method: 'POST',
    path: '/strings',
    needsApiKey: true,
    credentials: 'client',
    contentType: 'application/json',
    sampleBody: `{"value":"it's"}`,
  });
  expect(curl?.code).toBe(
    [
      'curl -X POST "$LIMEN/strings"',
      '-H "x-api-key: $LIMEN_API_KEY"',
      '-u "$LIMEN_CLIENT_ID:$LIMEN_CLIENT_SECRET"',
      String.raw`-H "content-type: application/json" -d '{"value":"it'\''s"}'`,
    ].join(' \\\n  '),
  );
});

it('a call in JavaScript names its method, its headers and its body', () => {
  const [, script] = writeSamples({
    method: 'POST',
    path: '/strings',
    needsApiKey: false,
    credentials: undefined,
    contentType: 'application/json',
    sampleBody: '{}',
  });
  expect(script?.code).toContain("method: 'POST',\n  headers: { 'content-type': 'application/json' },");
});
