// Detection of a file's format by its first bytes.
import { describe, expect, it } from 'vitest';
import { LISTS, OFAC } from '../../testing/lists/lists.ts';
import { detectFormat, LIST_FORMATS } from './load-list.ts';

const detect = (text: string | Uint8Array, name = 'list.txt') =>
  detectFormat(name, typeof text === 'string' ? Buffer.from(text) : text);

describe('detectFormat', () => {
  it.each(LIST_FORMATS)('detects %s', (format) => {
    const main = LISTS[format].main as string;
    expect(detect(main)).toBe(format);
    expect(detect(`\ufeff${main}`)).toBe(format);
    expect(detect(Buffer.from(main).subarray(0, 2_000))).toBe(format);
  });

  it('relies on the file name if the first entity is longer than the head', () => {
    const head = `{"id":"1","caption":"${'x'.repeat(70_000)}`;
    expect(detect(head, 'entities.ftm.json')).toBe('ftm-json');
    expect(detect(head, 'other.json')).toBeUndefined();
  });

  it.each([
    '',
    'hello',
    '<html></html>',
    '[{"id":"1"}]',
    '{"a":1}',
    '{"op":"ADD","entity":{"id":"1","schema":"Person","properties":{}}}',
    'a,b,c\n1,2,3',
    OFAC.aliases as string,
    OFAC.addresses as string,
    '\u0000\u0001\u0002',
    'PK\u0003\u0004',
  ])('rejects %j', (text) => {
    expect(detect(text, 'x.csv')).toBeUndefined();
  });
});
