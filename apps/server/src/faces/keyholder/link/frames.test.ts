// Frames: decoded identically at any chunking; malformed frames cost nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameReader, encodeFrame, type Frame, MAX_FRAME_BYTES } from './frames.ts';

function readAll(bytes: Uint8Array, cuts: readonly number[] = []): Frame[] {
  const frames: Frame[] = [];
  const read = createFrameReader((frame) => frames.push(frame));
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let at = 1; at < edges.length; at++) read(bytes.subarray(edges[at - 1], edges[at]));
  return frames;
}

/** Frames arbitrary bytes. */
function rawFrame(headerText: string, rest = Buffer.alloc(0), headerBytes = Buffer.byteLength(headerText)): Buffer {
  const body = Buffer.concat([Buffer.alloc(4), Buffer.from(headerText), rest]);
  body.writeUInt32LE(headerBytes);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
}

/** Our own message, not that of a buffer read past its end. */
const REFUSAL =
  /of this length is refused|header is|no header|blobs have no|blob has no|blob is longer|more than the header/;

describe('a frame', () => {
  it('is decoded as encoded at any chunking', () => {
    const frame = fc.record({
      header: fc.dictionary(fc.constantFrom('id', 'call', 'ask'), fc.oneof(fc.integer(), fc.string())),
      blobs: fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 4 }), fc.array(fc.nat(), { maxLength: 8 }), (frames, cuts) => {
        const read = readAll(Buffer.concat(frames.map(encodeFrame)), cuts);
        expect(read.map(({ header: { lengths, ...header }, blobs }) => ({ header, blobs }))).toEqual(
          frames.map(({ header, blobs }) => ({ header: { ...header }, blobs })),
        );
      }),
    );
  });

  it('aligns its blobs for typed arrays', () => {
    const [frame] = readAll(
      encodeFrame({ header: { id: 1 }, blobs: [Uint8Array.of(1), new Uint8Array(16), new Uint8Array(3)] }),
    );
    expect(frame!.blobs.map(({ byteOffset }) => byteOffset % 16)).toEqual([0, 0, 0]);
  });

  it('above the size limit is neither sent nor buffered', () => {
    expect(() => encodeFrame({ header: {}, blobs: [new Uint8Array(MAX_FRAME_BYTES)] })).toThrow('too large');
    const length = Buffer.alloc(4);
    length.writeUInt32LE(MAX_FRAME_BYTES + 1);
    expect(() => readAll(length)).toThrow('of this length is refused');
    length.writeUInt32LE(0xffff_ffff);
    expect(() => readAll(length)).toThrow('of this length is refused');
  });

  it.each<[string, Buffer]>([
    ['shorter than a header', Buffer.from([1, 0, 0, 0, 0])],
    ['with a header longer than itself', rawFrame('{}', Buffer.alloc(0), 1_000)],
    ['with a header that is no JSON', rawFrame('{"id":')],
    ['with a header that is no object', rawFrame('[1]')],
    ['with null for a header', rawFrame('null')],
    ['without lengths', rawFrame('{"id":1}')],
    ['with a negative length', rawFrame('{"lengths":[-1]}')],
    ['with a broken length', rawFrame('{"lengths":[1.5]}')],
    ['with blobs longer than itself', rawFrame('{"lengths":[1000]}')],
    ['with more blobs than any', rawFrame(`{"lengths":[${'0,'.repeat(2_000)}0]}`)],
    ['with bytes that nobody named', rawFrame('{"lengths":[]}', Buffer.alloc(9))],
  ])('is refused if %s', (_, bytes) => {
    expect(() => readAll(bytes)).toThrow(REFUSAL);
  });

  it('of arbitrary bytes is decoded or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const framed = Buffer.concat([Buffer.from([bytes.length, 0, 0, 0]), bytes]);
        try {
          readAll(framed);
        } catch (error) {
          expect(String(error)).toMatch(REFUSAL);
        }
      }),
    );
  });
});
