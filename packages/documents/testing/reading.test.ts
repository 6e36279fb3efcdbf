// Reading rates of simulated documents by distortion: a small npm run eval:documents.
import { readFile } from 'node:fs/promises';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadModel } from '../../face-models/testing/run-model.ts';
import { barcodeViews } from '../src/card/barcode-views.ts';
import { toGray } from '../src/image/gray.ts';
import type { Recognize } from '../src/zone/read-line.ts';
import { createCamera, type Distortion } from './distort/index.ts';
import { findZoneFont } from './font/index.ts';
import { startBarcodeReader } from './read-barcode.ts';
import { readShots, type ShotResult } from './read-shots.ts';
import { drawPerson, drawSpecimen, type Specimen } from './specimens/index.ts';

const TODAY = '2026-06-15';
/** About three seconds. */
const MOST_FRAMES = 12;
/** Small frames are twice as fast to draw, and harder to read. */
const FRAME = { width: 960, height: 540 };
const KINDS = (['passport', 'card', 'card_td2'] as const).slice(0, onlyWhenLong(3, 1));
const PER_DISTORTION = onlyWhenLong(2, 1);
/** All distortions in the long run and in `npm run eval:documents`. */
const MILD = onlyWhenLong<Distortion[]>(
  ['rotated', 'perspective', 'blurred', 'noisy', 'glare', 'dim', 'typical'],
  ['blurred', 'typical'],
);

const font = findZoneFont();
const results = new Map<Distortion, ShotResult[]>();

describe.skipIf(!font)('simulated documents (need the font of Debian’s fonts-ocr-b)', () => {
  const specimens: Specimen[] = [];
  let recognize: Recognize;
  beforeAll(async () => {
    const model = await loadModel(await readFile(new URL('../model/ocr-b.onnx', import.meta.url)));
    recognize = (values, shape) => model.feed(values, shape);
    for (const [index, kind] of KINDS.entries())
      specimens.push(await drawSpecimen({ kind, person: drawPerson(40 + index), seed: 40 + index }));
  });
  afterAll(() => {
    const rates = [...results].map(([how, found]) => {
      const right = found.filter((result) => result === 'right').length;
      const failures = found.filter((result) => result !== 'right');
      return `${how} ${right} of ${found.length}${failures.length > 0 ? ` (${failures.join(', ')})` : ''}`;
    });
    console.log(`Documents read: ${rates.join('; ')}`);
  });

  let next = 0;
  async function readSome(how: Distortion): Promise<ShotResult[]> {
    const found: ShotResult[] = [];
    for (let count = 0; count < PER_DISTORTION; count += 1) {
      const { sides, truth, millimetres: millimeters } = specimens[next % specimens.length]!;
      const camera = createCamera(sides.zone!, how, { ...FRAME, seed: 500 + next, millimetres: millimeters });
      next += 1;
      const wish = { birth: truth.birth, today: TODAY, mostFrames: MOST_FRAMES };
      found.push(await readShots(camera, recognize, wish));
    }
    results.set(how, found);
    return found;
  }

  test('are all read from clean pictures', async () => {
    expect(await readSome('clean')).toEqual(Array(PER_DISTORTION).fill('right'));
  });

  test.each([...MILD, ...onlyWhenLong(['hard'] as const, [])])('never have a wrong date of birth: %s', async (how) => {
    expect(await readSome(how)).not.toContain('wrong date');
  });

  test.each(onlyWhenLong<('clean' | 'typical')[]>(['clean', 'typical'], ['typical']))(
    'have a readable barcode: %s',
    async (how) => {
      const seed = how === 'clean' ? 60 : 61;
      const {
        sides,
        truth,
        millimetres: millimeters,
      } = await drawSpecimen({
        kind: how === 'clean' ? 'licence_us' : 'licence_ca',
        person: drawPerson(seed),
        seed,
      });
      const readBarcode = startBarcodeReader();
      const picture = toGray(createCamera(sides.barcode!, how, { seed, millimetres: millimeters }).shoot(0));
      for (const view of barcodeViews(picture)) {
        const text = await readBarcode(view);
        if (text === null) continue;
        expect(text).toBe(truth.text);
        return;
      }
      expect.unreachable('no view of the picture was read');
    },
  );

  test('are read from slightly distorted pictures in at least 85 of 100 cases', () => {
    const found = MILD.flatMap((how) => results.get(how)!);
    expect(found).toHaveLength(MILD.length * PER_DISTORTION);
    expect(found.filter((result) => result === 'right').length / found.length).toBeGreaterThanOrEqual(0.85);
  });
});
