// US and Canadian driving licenses: a portrait on the front, a PDF417 barcode on the back.

import type { Size } from '../distort/canvas.ts';
import { createRandom } from '../distort/random.ts';
import { formatLicense } from '../format-licence.ts';
import { printBarcode } from './barcode.ts';
import { CARD_CORNER } from './cards.ts';
import { writeDay } from './day.ts';
import { measureText, writeField, writeText } from './lettering.ts';
import { PALETTES, printBackground, printEmblem } from './security-print.ts';
import { createSheet, eachPixel, fillBox, placePicture, roundCorners, type Sheet } from './sheet.ts';
import { stampSpecimen } from './stamp.ts';
import type { Details } from './wish.ts';

export const LICENSE: Size = { width: 85.6, height: 54 };

interface Jurisdiction {
  readonly code: string;
  /** Issuer identification number, as published by AAMVA. */
  readonly iin: string;
  readonly country: 'USA' | 'CAN';
}

const JURISDICTIONS: Record<'licence_us' | 'licence_ca', readonly Jurisdiction[]> = {
  licence_us: [
    { code: 'VA', iin: '636000', country: 'USA' },
    { code: 'NY', iin: '636001', country: 'USA' },
    { code: 'CA', iin: '636014', country: 'USA' },
    { code: 'TX', iin: '636015', country: 'USA' },
    { code: 'FL', iin: '636010', country: 'USA' },
  ],
  licence_ca: [
    { code: 'ON', iin: '636012', country: 'CAN' },
    { code: 'BC', iin: '636028', country: 'CAN' },
    { code: 'NS', iin: '636013', country: 'CAN' },
  ],
};
const SEXES = { M: '1', F: '2', X: '9' } as const;

function chooseJurisdiction(details: Details): Jurisdiction {
  const kind = details.kind === 'licence_ca' ? 'licence_ca' : 'licence_us';
  return createRandom(details.seed * 3 + 2).pick(JURISDICTIONS[kind]);
}

export function drawLicenseFront(details: Details): Sheet {
  const { person, seed, face } = details;
  const { width, height } = LICENSE;
  const { code, country } = chooseJurisdiction(details);
  const palette = PALETTES[(seed + 2) % PALETTES.length]!;
  const sheet = createSheet(width, height);
  printBackground(sheet, palette, seed + 21, null);
  fillBox(sheet, { x: 0, y: 8.6, width, height: 0.5 }, palette.strong, 0.9);
  printEmblem(sheet, 79, 4.6, 3.4, palette.strong);
  const title = { size: 4.2, face: 'bold', spacing: 0.2, colour: palette.strong } as const;
  writeText(sheet, country === 'USA' ? 'DRIVER LICENSE' : "DRIVER'S LICENSE", { ...title, x: 4, y: 6.4 });
  const where = `${code}, ${country}`;
  writeText(sheet, where, { ...title, size: 3, x: 72 - measureText(where, { ...title, size: 3 }), y: 6.1 });
  stampSpecimen(sheet, [196, 40, 50], { x: 0.64, y: 0.56, width: 0.6, part: 0.15 });
  placePicture(sheet, face, { x: 4, y: 11.4, width: 25.5, height: 32.6 }, { radius: 0.8 });
  placePicture(sheet, face, { x: 70, y: 35, width: 11.5, height: 14.8 }, { radius: 5, part: 0.32, gray: true });
  const size = 2.55;
  writeField(sheet, '4d  Number', details.number, { x: 32.5, y: 13, size: 3, colour: [150, 40, 40] });
  writeField(sheet, '1  Family name', person.surname.toUpperCase(), { x: 32.5, y: 19.8, size });
  writeField(sheet, '2  Given names', person.givenNames.toUpperCase(), { x: 32.5, y: 26, size });
  writeField(sheet, '8  Address', '1 EXAMPLE STREET, ANYTOWN', { x: 32.5, y: 32.2, size: 2.3 });
  writeField(sheet, '3  Date of birth', writeDay(details.birthShown), { x: 32.5, y: 38.2, size });
  writeField(sheet, '15  Sex', person.sex, { x: 58.5, y: 38.2, size });
  writeField(sheet, '4a  Issued', writeDay(details.issued), { x: 32.5, y: 44.4, size: 2.3 });
  writeField(sheet, '4b  Expires', writeDay(details.expires), { x: 52, y: 44.4, size: 2.3 });
  writeField(sheet, '9  Class', 'C', { x: 4, y: 46.8, size });
  writeField(sheet, '12  Restrictions', 'NONE', { x: 12, y: 46.8, size });
  roundCorners(sheet, CARD_CORNER);
  return sheet;
}

export async function drawLicenseBack(details: Details): Promise<{ sheet: Sheet; text: string }> {
  const { person, seed } = details;
  const { width, height } = LICENSE;
  const { code, iin, country } = chooseJurisdiction(details);
  const palette = PALETTES[(seed + 2) % PALETTES.length]!;
  const sheet = createSheet(width, height);
  printBackground(sheet, palette, seed + 22, null);
  const whole = formatLicense({
    jurisdiction: code,
    iin,
    country,
    version: 8 + (seed % 3),
    kind: 'DL',
    number: details.number,
    surname: person.surname.toUpperCase(),
    givenNames: person.givenNames.toUpperCase(),
    birth: person.birth,
    expiry: details.expires,
    issued: details.issued,
    sex: SEXES[person.sex],
  });
  const text = details.break === 'no_birth' ? dropBirth(whole) : whole;
  fillBox(sheet, { x: 0, y: 4, width, height: 9 }, [30, 28, 30], 0.94);
  stampSpecimen(sheet, palette.strong, { x: 0.5, y: 0.78, width: 0.5, part: 0.16 });
  const box = await printBarcode(sheet, text, { x: width / 2, y: 17.2 });
  const below = box.y + box.height + 5;
  writeField(sheet, 'Class C', 'Any vehicle that exists only on paper', { x: 6.5, y: below, size: 2.1 });
  writeField(sheet, 'Audit', `${code}0000001`, { x: 6.5, y: below + 5.6, size: 2.1 });
  writeText(sheet, 'Not a license. Fictional specimen for tests.', { x: 6.5, y: height - 3, size: 1.9 });
  printBars(sheet, { x: 56, y: below - 1.4, seed });
  roundCorners(sheet, CARD_CORNER);
  return { sheet, text };
}

/** Replaces it by another element of equal length, so that the header's lengths stay valid. */
function dropBirth(text: string): string {
  return text.replace(/DBB\d{8}\n/, 'DCK00000000\n');
}

/** Bars like a stock number's, which the reader must ignore. */
function printBars(sheet: Sheet, { x, y, seed }: { x: number; y: number; seed: number }): void {
  const random = createRandom(seed + 90);
  const widths = Array.from({ length: 60 }, () => random.pick([0.25, 0.25, 0.5]));
  fillBox(sheet, { x: x - 1, y: y - 0.6, width: 25, height: 7.2 }, [252, 252, 250]);
  let at = x;
  for (const [index, bar] of widths.entries()) {
    if (at > x + 22.6) break;
    if (index % 2 === 0)
      eachPixel(sheet, { x: at, y, width: bar, height: 6 }, (_x, _y, place) => sheet.data.fill(20, place, place + 3));
    at += bar;
  }
}
