import { expect, it } from 'vitest';
import { sampleValue, writeCurl, writeJson } from './sample-request.ts';

const schemas = { Feature: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } };

it.each([
  [{ examples: [{ a: 1 }], type: 'object' }, { a: 1 }],
  [{ type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 5 }, other: {} } }, { n: 5 }],
  [{ type: 'array', items: { $ref: '#/components/schemas/Feature' } }, [{ id: '<id>' }]],
  [{ enum: ['ENROLL', 'VERIFY'] }, 'ENROLL'],
  [{ anyOf: [{ const: 7 }, { type: 'string' }] }, 7],
  [{ type: ['boolean', 'null'] }, true],
  [{ type: 'number', default: 0 }, 0],
])('samples a body that fits %j', (schema, sample) => {
  expect(sampleValue(schema, schemas)).toEqual(sample);
});

it('writes numbers in one line and other values in lines of their own', () => {
  const value = { vector: [0.5, -1, 2e-7], names: ['a', 'b'] };
  expect(writeJson(value)).toBe('{\n  "vector": [ 0.5, -1, 2e-7 ],\n  "names": [\n    "a",\n    "b"\n  ]\n}');
  expect(JSON.parse(writeJson(value))).toEqual(value);
});

it('keeps a quote of the body within the quotes of the shell', () => {
  const curl = writeCurl({
    method: 'POST',
    path: '/strings/{id}',
    schemes: ['apiKey', 'client'],
    contentType: 'application/json',
    sampleBody: `{"value":"it's"}`,
  });
  expect(curl).toBe(
    [
      'curl -X POST "$LIMEN/strings/$ID"',
      '-H "x-api-key: $LIMEN_API_KEY"',
      '-u "$LIMEN_CLIENT_ID:$LIMEN_CLIENT_SECRET"',
      '-H "content-type: application/json"',
      String.raw`-d '{"value":"it'\''s"}'`,
    ].join(' \\\n  '),
  );
});
