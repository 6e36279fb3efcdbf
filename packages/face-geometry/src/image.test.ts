import type { ModelInput } from '@limen/face-models';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mapOntoBox, mirrorFirst } from './geometry.ts';
import { createFrame, type Frame, readPixels } from './image.ts';

const anyFrame = fc
  .record({ width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 12 }), seed: fc.nat() })
  .map(({ width, height, seed }) => drawFrame(width, height, (i) => (seed * 31 + i * 97) % 256));

function drawFrame(width: number, height: number, value: (i: number) => number): Frame {
  return createFrame(
    width,
    height,
    new Uint8ClampedArray(width * height * 4).map((_, i) => value(i)),
  );
}

function inputFor(frame: Frame, input: Partial<ModelInput> = {}): ModelInput {
  const { width, height } = frame;
  return { width, height, channels: 'rgb', mean: [0, 0, 0], scale: 1, layout: 'nhwc', ...input };
}

function coverFrame({ width, height }: Frame) {
  return mapOntoBox({ x: 0, y: 0, width, height }, width, height);
}

describe('reading pixels', () => {
  test('returns the frame when read at its own size', () => {
    fc.assert(
      fc.property(anyFrame, fc.constantFrom('edge' as const, 'black' as const), (frame, beyond) => {
        const values = readPixels(frame, inputFor(frame), { from: coverFrame(frame), beyond });
        expect([...values]).toEqual([...frame.data].filter((_, i) => i % 4 !== 3));
      }),
    );
  });

  test('reverses the columns when mirrored, and restores them when mirrored twice', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        const input = inputFor(frame, { channels: 'gray', mean: [0] });
        const plain = readPixels(frame, input, { from: coverFrame(frame), beyond: 'edge' });
        const mirrored = readPixels(frame, input, {
          from: mirrorFirst(coverFrame(frame), frame.width),
          beyond: 'edge',
        });
        for (let y = 0; y < frame.height; y += 1)
          expect(mirrored[y * frame.width]).toBeCloseTo(plain[(y + 1) * frame.width - 1]!, 3);
        expect(mirrorFirst(mirrorFirst(coverFrame(frame), frame.width), frame.width)).toEqual(coverFrame(frame));
      }),
    );
  });

  test('applies the channels, order, mean and scale of the model', () => {
    const frame = drawFrame(2, 1, (i) => [10, 20, 30, 255, 40, 50, 60, 255][i]!);
    const read = (input: Partial<ModelInput>) => [
      ...readPixels(frame, inputFor(frame, input), { from: coverFrame(frame), beyond: 'edge' }),
    ];
    expect(read({ layout: 'nhwc' })).toEqual([10, 20, 30, 40, 50, 60]);
    expect(read({ layout: 'nchw' })).toEqual([10, 40, 20, 50, 30, 60]);
    expect(read({ layout: 'nchw', channels: 'bgr' })).toEqual([30, 60, 20, 50, 10, 40]);
    expect(read({ channels: 'bgr', mean: [30, 20, 10], scale: 2 })).toEqual([0, 0, 0, 15, 15, 15]);
    expect(read({ channels: 'gray', mean: [0] })[0]).toBeCloseTo(18.15, 4);
  });

  test('repeats the edge or reads black beyond the frame', () => {
    const frame = drawFrame(1, 1, () => 200);
    const from = mapOntoBox({ x: -1, y: 0, width: 3, height: 1 }, 3, 1);
    const input = inputFor(frame, { width: 3, channels: 'gray', mean: [0] });
    const read = (beyond: 'edge' | 'black') => [...readPixels(frame, input, { from, beyond })].map(Math.round);
    expect(read('edge')).toEqual([200, 200, 200]);
    expect(read('black')).toEqual([0, 200, 0]);
  });

  test('reads black outside of the given box', () => {
    const frame = drawFrame(4, 1, () => 90);
    const input = inputFor(frame, { channels: 'gray', mean: [0] });
    const within = { x: 1, y: 0, width: 2, height: 1 };
    const values = readPixels(frame, input, { from: coverFrame(frame), beyond: 'black', within });
    expect([...values].map(Math.round)).toEqual([0, 90, 90, 0]);
  });

  test('reads black for a box next to the frame', () => {
    const frame = drawFrame(4, 4, () => 90);
    const within = { x: 40, y: 40, width: 2, height: 2 };
    const from = mapOntoBox(within, 4, 4);
    expect(readPixels(frame, inputFor(frame), { from, beyond: 'edge', within }).every((value) => value === 0)).toBe(
      true,
    );
  });

  test('averages a fine pattern to gray when scaling down', () => {
    const frame = drawFrame(64, 64, (i) => (((i >> 2) + (i >> 8)) % 2 === 0 ? 0 : 200));
    const input = inputFor(frame, { width: 8, height: 8, channels: 'gray', mean: [0] });
    const values = readPixels(frame, input, {
      from: mapOntoBox({ x: 0, y: 0, width: 64, height: 64 }, 8, 8),
      beyond: 'edge',
    });
    for (const value of values) expect(value).toBeCloseTo(100, 0);
  });

  test('rejects a frame whose data does not match its size', () => {
    expect(() => createFrame(2, 2, new Uint8ClampedArray(15))).toThrow('wrong size');
  });
});
