// Writes machine-readable zones, the inverse of parseZone.
import { computeCheckDigit } from '../src/mrz/check-zone.ts';
import type { ZoneFormat } from '../src/mrz/formats.ts';

export interface ZoneText {
  format: ZoneFormat;
  /** 'P', 'ID', 'AR', 'V' and so on. */
  code: string;
  issuer: string;
  surname: string;
  givenNames: string;
  number: string;
  nationality: string;
  /** Six characters YYMMDD, with fillers for unknown parts. */
  birth: string;
  sex: 'M' | 'F' | '<';
  expiry: string;
  optional?: string;
}

/** Two-letter transliterations (ICAO Doc 9303 part 3, section 6) used in the specimens' names. */
const SPELT = new Map([
  ['Ä', 'AE'],
  ['Ö', 'OE'],
  ['Ü', 'UE'],
  ['ß', 'SS'],
  ['Æ', 'AE'],
  ['Ø', 'OE'],
  ['Å', 'AA'],
  ['Ð', 'D'],
  ['Þ', 'TH'],
  ['Ł', 'L'],
]);

/** Numbers longer than nine characters continue in the optional data of TD1 and TD2. */
export function formatZone(fields: ZoneText): string[] {
  const head = pad(fields.code, 2) + pad(fields.issuer, 3);
  const names = `${spell(fields.surname)}<<${spell(fields.givenNames)}`;
  const number = splitNumber(fields);
  const birth = fields.birth + computeCheckDigit(fields.birth);
  const expiry = fields.expiry + computeCheckDigit(fields.expiry);
  const optional = number.rest + spell(fields.optional ?? '');
  const nationality = pad(fields.nationality, 3);
  if (fields.format === 'TD1') {
    const [first, second] = [pad(optional, 26).slice(0, 15), pad(optional, 26).slice(15)];
    const composite = computeCheckDigit(number.text + first + birth + expiry + second);
    const middle = birth + fields.sex + expiry + nationality + second + composite;
    return [head + number.text + first, middle, pad(names, 30)];
  }
  const [width, room] = { TD2: [36, 7], TD3: [44, 14], 'MRV-A': [44, 16], 'MRV-B': [36, 8] }[fields.format] as [
    number,
    number,
  ];
  let end = pad(optional, room);
  if (fields.format === 'TD3') end += optional === '' ? '<' : computeCheckDigit(end);
  if (!fields.format.startsWith('MRV')) end += computeCheckDigit(number.text + birth + expiry + end);
  return [pad(head + names, width), number.text + nationality + birth + fields.sex + expiry + end];
}

function splitNumber({ format, number }: ZoneText): { text: string; rest: string } {
  const written = spell(number);
  const goesOn = written.length > 9 && (format === 'TD1' || format === 'TD2');
  if (!goesOn) return { text: pad(written, 9) + computeCheckDigit(pad(written, 9)), rest: '' };
  return { text: `${written.slice(0, 9)}<`, rest: `${written.slice(9)}${computeCheckDigit(written)}<` };
}

function spell(text: string): string {
  const letters = [...text.toUpperCase().normalize('NFC')].map((letter) => SPELT.get(letter) ?? letter).join('');
  return letters
    .normalize('NFD')
    .replace(/[\p{M}'’]/gu, '')
    .replace(/[^0-9A-Z<]/g, '<');
}

function pad(text: string, width: number): string {
  return text.slice(0, width).padEnd(width, '<');
}
