import { crc32, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { encodePng } from './png.ts';

it('writes a PNG with size, pixels and valid checksums', () => {
  const data = new Uint8ClampedArray([
    1, 2, 3, 255, 4, 5, 6, 128, 7, 8, 9, 0, 250, 251, 252, 255, 0, 0, 0, 255, 9, 9, 9, 9,
  ]);
  const file = encodePng({ width: 3, height: 2, data });
  expect(file.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12) {
    const end = at + 8 + file.readUInt32BE(at);
    expect(file.readUInt32BE(end)).toBe(crc32(file.subarray(at + 4, end)));
    chunks.set(file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, end));
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND']);
  expect([...chunks.get('IHDR')!]).toEqual([0, 0, 0, 3, 0, 0, 0, 2, 8, 6, 0, 0, 0]);
  const rows = inflateSync(chunks.get('IDAT')!);
  expect([...rows]).toEqual([0, ...data.subarray(0, 12), 0, ...data.subarray(12)]);
});
