// Replies follow their schema, nested definitions included, and contain nothing else.
import { expect, it } from 'vitest';
import { buildSerializer } from './serialization.ts';

const text = { type: 'string' };
const build = () =>
  buildSerializer({
    Inner: { $id: 'Inner', type: 'object', properties: { name: text } },
    Outer: { $id: 'Outer', type: 'object', properties: { inner: { $ref: 'Inner#' }, description: text } },
    Unused: { $id: 'Unused', type: 'object', properties: {} },
  });

it('resolves nested definitions, and omits fields that none of them has', () => {
  const write = build()({ schema: { $ref: 'Outer#', description: 'a reply' } });
  const reply = { inner: { name: 'a', secret: 'b' }, description: 'kept', secret: 'c' };
  expect(JSON.parse(write(reply))).toEqual({ inner: { name: 'a' }, description: 'kept' });
});

it('writes each variant by itself, whatever its description says', () => {
  const compile = build();
  const reply = { inner: { name: 'a' } };
  for (const description of ['here', 'there']) {
    expect(compile({ schema: { $ref: 'Outer#', description } })(reply)).toBe('{"inner":{"name":"a"}}\n');
  }
  expect(compile({ schema: { $ref: 'Inner#' } })({ name: 'a' })).toBe('{"name":"a"}\n');
  const other = compile({ schema: { type: 'object', properties: { description: text } } });
  expect(other({ description: 'a', name: 'b' })).toBe('{"description":"a"}\n');
  expect(compile({ schema: { type: 'object', properties: { name: text } } })({ name: 'b' })).toBe('{"name":"b"}\n');
});
