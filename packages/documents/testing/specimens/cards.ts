// Identity cards: TD1 with its zone on the back, TD2 with everything on one side.

import type { Size } from '../distort/canvas.ts';
import { writeDay } from './day.ts';
import { measureText, writeField, writeText, writeZone } from './lettering.ts';
import { PALETTES, type Palette, printBackground, printEmblem } from './security-print.ts';
import { createSheet, eachPixel, fillBox, fillRounded, placePicture, roundCorners, type Sheet } from './sheet.ts';
import { stampSpecimen } from './stamp.ts';
import type { Details } from './wish.ts';
import { writeZoneText } from './zone-text.ts';

export const TD1: Size = { width: 85.6, height: 54 };
export const TD2: Size = { width: 105, height: 74 };
/** By ISO 7810. */
export const CARD_CORNER = 3.18;

export function drawCardFront(details: Details): Sheet {
  const { person, seed, face } = details;
  const { width, height } = TD1;
  const palette = PALETTES[(seed + 1) % PALETTES.length]!;
  const sheet = createSheet(width, height);
  printBackground(sheet, palette, seed + 7, null);
  printHeading(sheet, palette, 'IDENTITY CARD', person.nationality, width);
  stampSpecimen(sheet, [196, 40, 50], { x: 0.62, y: 0.58, width: 0.62, part: 0.15 });
  placePicture(sheet, face, { x: 4, y: 12, width: 25, height: 32 }, { radius: 1 });
  placePicture(sheet, face, { x: 70.5, y: 34, width: 11, height: 14 }, { radius: 5, part: 0.3, gray: true });
  printChip(sheet, 70, 13.5);
  writeField(sheet, 'Surname', person.surname.toUpperCase(), { x: 32, y: 14, size: 2.7 });
  writeField(sheet, 'Given names', person.givenNames.toUpperCase(), { x: 32, y: 20.8, size: 2.7 });
  writeField(sheet, 'Nationality', person.nationality, { x: 32, y: 27.6, size: 2.7 });
  writeField(sheet, 'Sex', person.sex, { x: 48, y: 27.6, size: 2.7 });
  writeField(sheet, 'Date of birth', writeDay(details.birthShown), { x: 32, y: 34.4, size: 2.7 });
  writeField(sheet, 'Date of expiry', writeDay(details.expires), { x: 32, y: 41.2, size: 2.7 });
  writeField(sheet, 'Document No.', details.number, { x: 4, y: 47.4, size: 2.7 });
  roundCorners(sheet, CARD_CORNER);
  return sheet;
}

export function drawCardBack(details: Details): { sheet: Sheet; lines: string[] } {
  const { seed } = details;
  const { width, height } = TD1;
  const palette = PALETTES[(seed + 1) % PALETTES.length]!;
  const sheet = createSheet(width, height);
  printBackground(sheet, palette, seed + 8, { x: 0, y: 29.5, width, height: 24.5 });
  fillBox(sheet, { x: 0, y: 0, width, height: 1.6 }, palette.strong, 0.85);
  stampSpecimen(sheet, [196, 40, 50], { x: 0.5, y: 0.34, width: 0.5, part: 0.13 });
  writeField(sheet, 'Address', '1 EXAMPLE STREET, ANYTOWN', { x: 4.5, y: 6, size: 2.5 });
  writeField(sheet, 'Authority', 'FICTIONAL REGISTRY', { x: 4.5, y: 12.6, size: 2.5 });
  writeField(sheet, 'Date of issue', writeDay(details.issued), { x: 4.5, y: 19.2, size: 2.5 });
  printEmblem(sheet, 74, 14.5, 6.6, palette.strong);
  const lines = writeZoneText(details, 'TD1', 'ID');
  writeZone(sheet, lines, { x: 4.7, bottom: height - 5.6 });
  roundCorners(sheet, CARD_CORNER);
  return { sheet, lines };
}

export function drawLargeCard(details: Details): { sheet: Sheet; lines: string[] } {
  const { person, seed, face } = details;
  const { width, height } = TD2;
  const palette = PALETTES[(seed + 3) % PALETTES.length]!;
  const sheet = createSheet(width, height);
  printBackground(sheet, palette, seed + 9, { x: 0, y: height - 20.5, width, height: 20.5 });
  printHeading(sheet, palette, 'RESIDENCE AND IDENTITY CARD', person.nationality, width);
  stampSpecimen(sheet, [40, 90, 170], { x: 0.64, y: 0.44, width: 0.56, part: 0.15 });
  placePicture(sheet, face, { x: 5, y: 12.4, width: 30, height: 38.6 }, { radius: 1 });
  const [left, right] = [39, 74];
  writeField(sheet, 'Surname', person.surname.toUpperCase(), { x: left, y: 14.4 });
  writeField(sheet, 'Given names', person.givenNames.toUpperCase(), { x: left, y: 22.2 });
  writeField(sheet, 'Date of birth', writeDay(details.birthShown), { x: left, y: 30 });
  writeField(sheet, 'Sex', person.sex, { x: right, y: 30 });
  writeField(sheet, 'Nationality', person.nationality, { x: right + 10, y: 30 });
  writeField(sheet, 'Date of expiry', writeDay(details.expires), { x: left, y: 37.8 });
  writeField(sheet, 'Date of issue', writeDay(details.issued), { x: right, y: 37.8 });
  writeField(sheet, 'Document No.', details.number, { x: left, y: 45.6 });
  const lines = writeZoneText(details, 'TD2', 'ID');
  writeZone(sheet, lines, { x: 6.5, bottom: height - 6.8 });
  roundCorners(sheet, CARD_CORNER);
  return { sheet, lines };
}

function printHeading(sheet: Sheet, palette: Palette, title: string, state: string, width: number): void {
  fillBox(sheet, { x: 0, y: 0, width, height: 8.4 }, palette.strong, 0.9);
  printEmblem(sheet, 7.4, 4.2, 3.1, [244, 232, 190]);
  writeText(sheet, title, { x: 12.6, y: 5.6, size: 3.4, face: 'bold', spacing: 0.35, colour: [250, 248, 240] });
  const style = { size: 3.8, face: 'bold', spacing: 0.4, colour: [250, 248, 240] } as const;
  writeText(sheet, state, { ...style, x: width - 5 - measureText(state, style), y: 5.7 });
}

function printChip(sheet: Sheet, x: number, y: number): void {
  fillRounded(sheet, { x, y, width: 11.4, height: 9.2 }, 1.4, [204, 172, 96]);
  eachPixel(sheet, { x, y, width: 11.4, height: 9.2 }, (px, py, at) => {
    const [u, v] = [px - x - 5.7, py - y - 4.6];
    const isGap =
      Math.abs(Math.abs(u) - 2.2) < 0.1 ||
      (Math.abs(u) > 2.2 && Math.abs(v) < 0.1) ||
      (Math.abs(u) > 2.2 && Math.abs(Math.abs(v) - 2.5) < 0.08);
    if (isGap && Math.abs(v) < 4.4) for (let c = 0; c < 3; c += 1) sheet.data[at + c] = sheet.data[at + c]! * 0.6;
  });
}
