// A passport's data page and visas: portrait, labeled fields and a two-line zone on one side.

import type { ZoneFormat } from '../../src/mrz/formats.ts';
import type { Size } from '../distort/canvas.ts';
import { writeDay } from './day.ts';
import { measureText, writeField, writeText, writeZone } from './lettering.ts';
import { PALETTES, printBackground, printEmblem } from './security-print.ts';
import { createSheet, fillBox, placePicture, roundCorners, type Sheet } from './sheet.ts';
import { stampSpecimen } from './stamp.ts';
import type { Details } from './wish.ts';
import { writeZoneText } from './zone-text.ts';

export const PASSPORT: Size = { width: 125, height: 88 };
export const VISA: Size = { width: 120, height: 80 };
export const SMALL_VISA: Size = { width: 105, height: 74 };

interface Page {
  readonly sheet: Sheet;
  readonly lines: string[];
}

export function drawPassport(details: Details): Page {
  const { person, seed, face } = details;
  const { width, height } = PASSPORT;
  const palette = PALETTES[seed % PALETTES.length]!;
  const sheet = createSheet(width, height);
  const zoneTop = height - 23.2;
  printBackground(sheet, palette, seed, { x: 0, y: zoneTop, width, height: 23.2 });
  fillBox(sheet, { x: 0, y: 0, width, height: 8.6 }, palette.strong, 0.92);
  printEmblem(sheet, 8, 4.3, 3.3, [244, 232, 190]);
  const title = { y: 5.9, size: 4, face: 'bold', spacing: 0.5, colour: [250, 248, 240] } as const;
  writeText(sheet, 'PASSPORT', { ...title, x: 14 });
  const second = { ...title, face: 'plain', size: 3.2 } as const;
  writeText(sheet, 'PASSEPORT · PASAPORTE', { ...second, x: width - 5 - measureText('PASSEPORT · PASAPORTE', second) });
  stampSpecimen(sheet, [196, 40, 50], { x: 0.6, y: 0.43, width: 0.6 });
  placePicture(sheet, face, { x: 5, y: 13, width: 33, height: 43 }, { radius: 1.2 });
  placePicture(sheet, face, { x: 103, y: 42, width: 16, height: 20.5 }, { radius: 6, part: 0.28, gray: true });
  const [left, middle, right] = [43, 70, 97];
  const small = { size: 2.9 };
  writeField(sheet, 'Type', 'P', { x: left, y: 13.6, ...small });
  writeField(sheet, 'Issuing state', person.nationality, { x: middle - 8, y: 13.6, ...small });
  writeField(sheet, 'Passport No.', details.number, { x: right - 6, y: 13.6, ...small });
  writeField(sheet, 'Surname / Nom', person.surname.toUpperCase(), { x: left, y: 21.8, size: 3.3 });
  writeField(sheet, 'Given names / Prénoms', person.givenNames.toUpperCase(), { x: left, y: 30.4, size: 3.3 });
  writeField(sheet, 'Nationality', person.nationality, { x: left, y: 39, ...small });
  writeField(sheet, 'Sex', person.sex, { x: middle - 3, y: 39, ...small });
  writeField(sheet, 'Date of birth', writeDay(details.birthShown), { x: middle + 8, y: 39, ...small });
  writeField(sheet, 'Date of issue', writeDay(details.issued), { x: left, y: 47.2, ...small });
  writeField(sheet, 'Date of expiry', writeDay(details.expires), { x: middle + 2, y: 47.2, ...small });
  writeField(sheet, 'Authority', 'FICTIONAL REGISTRY', { x: left, y: 55.4, ...small });
  const lines = writeZoneText(details, 'TD3', 'P');
  writeZone(sheet, lines, { x: 6.6, bottom: height - 7.4 });
  roundCorners(sheet, 2.6);
  return { sheet, lines };
}

export function drawVisa(details: Details): Page {
  const { person, seed, face } = details;
  const format: ZoneFormat = details.visa ?? 'MRV-A';
  const { width, height } = format === 'MRV-A' ? VISA : SMALL_VISA;
  const palette = PALETTES[(seed + 2) % PALETTES.length]!;
  const sheet = createSheet(width, height);
  printBackground(sheet, palette, seed + 50, { x: 0, y: height - 21, width, height: 21 });
  fillBox(sheet, { x: 0, y: 9.4, width, height: 0.7 }, palette.strong, 0.8);
  printEmblem(sheet, 8, 5, 3.6, palette.strong);
  writeText(sheet, 'VISA', { x: 14, y: 7, size: 5.6, face: 'bold', spacing: 1.6, colour: palette.strong });
  const number = { size: 3.6, face: 'bold', spacing: 0.5, colour: [176, 34, 44] } as const;
  writeText(sheet, details.number, { ...number, x: width - 6 - measureText(details.number, number), y: 6.6 });
  stampSpecimen(sheet, [60, 90, 180], { x: 0.62, y: 0.42, width: 0.55 });
  placePicture(sheet, face, { x: 5, y: 13, width: 27, height: 35 }, { radius: 1 });
  const [left, right] = [36, 36 + (width - 40) * 0.5];
  writeField(sheet, 'Issued by', person.nationality, { x: left, y: 14 });
  writeField(sheet, 'Entries', 'MULTIPLE', { x: right, y: 14 });
  writeField(sheet, 'Valid from', writeDay(details.issued), { x: left, y: 22 });
  writeField(sheet, 'Valid until', writeDay(details.expires), { x: right, y: 22 });
  writeField(sheet, 'Surname', person.surname.toUpperCase(), { x: left, y: 30 });
  writeField(sheet, 'Given names', person.givenNames.toUpperCase(), { x: right, y: 30 });
  writeField(sheet, 'Date of birth', writeDay(details.birthShown), { x: left, y: 38 });
  writeField(sheet, 'Sex', person.sex, { x: right, y: 38 });
  writeField(sheet, 'Nationality', person.nationality, { x: right + 12, y: 38 });
  writeField(sheet, 'Remarks', 'NOT A DOCUMENT', { x: left, y: 46 });
  const lines = writeZoneText(details, format, 'V');
  writeZone(sheet, lines, { x: (width - lines[0]!.length * 2.54) / 2, bottom: height - 6.8 });
  return { sheet, lines };
}
