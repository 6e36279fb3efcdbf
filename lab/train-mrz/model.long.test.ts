// The committed recognizer, run as on the page, on unseen drawn lines.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { COLUMNS, LINE_HEIGHT, LINE_WIDTH } from '../../packages/documents/src/zone/alphabet.ts';
import { guessLength, readLine } from '../../packages/documents/src/zone/read-line.ts';
import { findZoneFont } from '../../packages/documents/testing/font/index.ts';
import { loadModel } from '../../packages/face-models/testing/run-model.ts';
import { measure } from './evaluate.ts';
import { loadFaces } from './glyphs.ts';

const model = await loadModel(await readFile(new URL('../../packages/documents/model/ocr-b.onnx', import.meta.url)));
const run = (ink: Float32Array) =>
  model.feed(
    ink.map((value) => 1 - value),
    [1, 1, LINE_HEIGHT, LINE_WIDTH],
  );

describe.skipIf(!findZoneFont())('the recognizer (needs the font of Debian’s fonts-ocr-b)', () => {
  test('reads at least 95% of typical lines without an error', async () => {
    const measured = await measure(run, loadFaces(), { strength: 0.5, lines: 40, seed: 77 });
    expect(measured.exactLines, measured.mistakes.join(', ')).toBeGreaterThanOrEqual(0.95);
    expect(measured.rightLengths).toBeGreaterThanOrEqual(0.95);
  });

  test('reads most characters of bad lines', async () => {
    const measured = await measure(run, loadFaces(), { strength: 0.9, lines: 20, seed: 78 });
    expect(measured.characterErrors, measured.mistakes.join(', ')).toBeLessThan(0.05);
  });
});

test('reads nothing on an empty line', async () => {
  const logits = await run(new Float32Array(LINE_HEIGHT * LINE_WIDTH).fill(0.02));
  expect(logits.length % COLUMNS).toBe(0);
  const data = new Uint8Array(LINE_HEIGHT * LINE_WIDTH).fill(250);
  expect(guessLength(logits)).toBeNull();
  expect(readLine({ width: LINE_WIDTH, height: LINE_HEIGHT, data }, 44, logits)).toBeNull();
});
