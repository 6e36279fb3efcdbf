import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { parseLicense } from '../../src/aamva/parse-licence.ts';
import { type GrayImage, type Picture, toGray } from '../../src/image/gray.ts';
import { ZONE_CHARACTERS } from '../../src/mrz/grammar.ts';
import { parseZone } from '../../src/mrz/parse-zone.ts';
import { drawText, findZoneFont, loadFont } from '../font/index.ts';
import { decideDetails } from './details.ts';
import { drawPerson, drawSpecimen, type Specimen, type SpecimenWish } from './index.ts';
import { writeZoneText } from './zone-text.ts';

const TODAY = '2026-06-01';
const WISHES: Record<string, Pick<SpecimenWish, 'kind' | 'visa'>> = {
  TD3: { kind: 'passport' },
  'MRV-A': { kind: 'visa' },
  'MRV-B': { kind: 'visa', visa: 'MRV-B' },
  TD1: { kind: 'card' },
  TD2: { kind: 'card_td2' },
};
/** Position of each format's zone: first character and last baseline, in pixels of a side. */
const PLACES: Record<string, readonly [number, number]> = {
  TD3: [6.6 * 12, 80.6 * 12],
  'MRV-A': [((120 - 44 * 2.54) / 2) * 12, 73.2 * 12],
  'MRV-B': [((105 - 36 * 2.54) / 2) * 12, 67.2 * 12],
  TD1: [4.7 * 12, 48.4 * 12],
  TD2: [6.5 * 12, 67.2 * 12],
};

describe.skipIf(!findZoneFont())('specimens (need the font of Debian’s fonts-ocr-b)', () => {
  const specimens = new Map<string, Specimen>();
  const person = drawPerson(4);
  const pixel = new Uint8ClampedArray([200, 30, 90, 255]);
  /** A plain portrait, because faces do not matter here. */
  const portrait: Picture = { width: 8, height: 10, data: new Uint8ClampedArray(320).map((_, i) => pixel[i % 4]!) };

  beforeAll(async () => {
    for (const [format, wish] of Object.entries(WISHES))
      specimens.set(format, await drawSpecimen({ ...wish, person, portrait, seed: 4 }));
  });

  it.each(Object.keys(WISHES))('print the zone of %s according to their truth', (format) => {
    const { truth } = specimens.get(format)!;
    const zone = parseZone(truth.lines!, TODAY);
    const [year, month, day] = person.birth.split('-').map(Number);
    expect(zone).toMatchObject({ format, birth: { year, month, day }, issuer: person.nationality });
    expect(truth.birth).toBe(person.birth);
  });

  it.each(Object.keys(WISHES))('print the text of a zone of %s at its true size', (format) => {
    const { sides, truth } = specimens.get(format)!;
    const [x, bottom] = PLACES[format]!;
    expect(readInk(toGray(sides.zone!), x, bottom, truth.lines!.length, truth.lines![0]!.length)).toEqual(truth.lines);
  });

  it('have twelve pixels per millimeter, and round corners on cards', () => {
    const sizes = [...specimens.values()].map(({ sides, millimetres: millimeters }) => {
      expect(sides.zone!.data[3]).toBeDefined();
      return [sides.zone!.width / millimeters.width, sides.zone!.height / millimeters.height].map(Math.round);
    });
    expect(new Set(sizes.flat())).toEqual(new Set([12]));
    const { zone, portrait: front } = specimens.get('TD1')!.sides;
    expect([zone!.data[3], front!.data[3]]).toEqual([0, 0]);
    expect(zone!.data[(300 * zone!.width + 500) * 4 + 3]).toBe(255);
  });

  it('show a given portrait on the portrait side', () => {
    const shows = ({ width, data }: Picture, x: number, y: number) => [
      ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
    ];
    expect(shows(specimens.get('TD3')!.sides.portrait!, 20 * 12, 30 * 12)).toEqual([200, 30, 90]);
    const card = specimens.get('TD1')!.sides;
    expect(shows(card.portrait!, 15 * 12, 30 * 12)).toEqual([200, 30, 90]);
    expect(card.zone).not.toBe(card.portrait);
    expect(specimens.get('TD2')!.sides.zone).toBe(specimens.get('TD2')!.sides.portrait);
  });

  it('are deterministic by seed', async () => {
    const wish = { kind: 'card', person, portrait } as const;
    const again = await drawSpecimen({ ...wish, seed: 4 });
    const first = specimens.get('TD1')!;
    expect(again.truth).toEqual(first.truth);
    expect(Buffer.compare(Buffer.from(again.sides.zone!.data), Buffer.from(first.sides.zone!.data))).toBe(0);
    expect(decideDetails({ ...wish, seed: 5 }).number).not.toBe(decideDetails({ ...wish, seed: 4 }).number);
  });

  it.each(['licence_us', 'licence_ca'] as const)('have a readable barcode on a %s', async (kind) => {
    const { sides, truth } = await drawSpecimen({ kind, person, portrait, seed: 3 });
    expect(await readBack(sides.barcode!)).toBe(truth.text);
    const [year, month, day] = person.birth.split('-').map(Number);
    expect(parseLicense(truth.text!)).toMatchObject({
      country: kind === 'licence_us' ? 'USA' : 'CAN',
      birth: { year, month, day },
    });
  });

  it('can omit a license’s birth date, and support no other fault of licenses', async () => {
    const wish = { kind: 'licence_us', person, portrait, seed: 3 } as const;
    const { truth } = await drawSpecimen({ ...wish, break: 'no_birth' });
    expect(truth.birth).toBe('');
    expect(parseLicense(truth.text!)).toMatchObject({ birth: null });
    await expect(drawSpecimen({ ...wish, break: 'check_digit' })).rejects.toThrow('no check digits');
  });
});

async function readBack(side: Picture): Promise<string | undefined> {
  const file = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
  prepareZXingModule({ overrides: { wasmBinary: file.buffer.slice(file.byteOffset, file.byteOffset + file.length) } });
  const [found] = await readBarcodes(
    {
      data: new Uint8ClampedArray(side.data),
      width: side.width,
      height: side.height,
      colorSpace: 'srgb',
    } as Parameters<typeof readBarcodes>[0],
    { formats: ['PDF417'], textMode: 'Plain' },
  );
  return found?.text;
}

/** Returns the character that each cell resembles most, compared with fresh renderings. */
function readInk(side: GrayImage, x: number, bottom: number, lines: number, length: number): string[] {
  const font = loadFont(findZoneFont()!);
  const [width, height, baseline] = [30, 40, 34];
  const cells = [...ZONE_CHARACTERS].map((character) => {
    const cell = { width, height, data: new Uint8Array(width * height).fill(230) };
    drawText(cell, font, character, { x: 0, y: baseline, size: (2.4 / 0.72) * 12, ink: 18 });
    return { character, data: cell.data };
  });
  const readCell = (left: number, top: number) => {
    const errors = cells.map(({ character, data }) => {
      let error = 0;
      for (let i = 0; i < data.length; i += 1)
        error += (side.data[(top + Math.floor(i / width)) * side.width + left + (i % width)]! - data[i]!) ** 2;
      return { character, error };
    });
    return errors.sort((a, b) => a.error - b.error)[0]!.character;
  };
  return Array.from({ length: lines }, (_, line) => {
    const top = Math.round(bottom - (lines - 1 - line) * 6.35 * 12) - baseline;
    return Array.from({ length }, (_, index) => readCell(Math.round(x + index * 2.54 * 12), top)).join('');
  });
}

describe('the text of a zone', () => {
  const person = drawPerson(4);
  const write = (wish: Partial<SpecimenWish>) => {
    const details = decideDetails({ kind: 'card', person, seed: 1, ...wish });
    return { birth: details.birthShown, zone: parseZone(writeZoneText(details, 'TD1', 'ID'), TODAY) };
  };

  it('has the requested fault', () => {
    const [year, month] = person.birth.split('-').map(Number);
    expect(write({})).toMatchObject({ birth: person.birth, zone: { format: 'TD1' } });
    expect(write({ break: 'check_digit' }).zone).toMatchObject({ refused: 'check_digit' });
    expect(write({ break: 'no_birth' })).toMatchObject({ birth: '', zone: { birth: null } });
    expect(write({ break: 'partial_birth' })).toMatchObject({ birth: String(year), zone: { birth: { year } } });
    const partial = write({ break: 'partial_birth', seed: 2 });
    expect(partial).toMatchObject({ birth: person.birth.slice(0, 7), zone: { birth: { year, month } } });
  });

  it('has the given dates', () => {
    const { zone } = write({ expires: '2020-02-29' });
    expect(zone).toMatchObject({ expiry: { year: 2020, month: 2, day: 29 } });
  });
});

describe('people', () => {
  it('are deterministic by seed, and differ between seeds', () => {
    const people = Array.from({ length: 200 }, (_, seed) => drawPerson(seed));
    expect(people[7]).toEqual(drawPerson(7));
    expect(new Set(people.map(({ birth }) => birth)).size).toBeGreaterThan(190);
    expect(new Set(people.map(({ sex }) => sex))).toEqual(new Set(['F', 'M', 'X']));
  });

  it('are born on real days', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const { birth } = drawPerson(seed);
      expect(new Date(`${birth}T00:00:00Z`).toISOString().slice(0, 10)).toBe(birth);
    }
  });
});
