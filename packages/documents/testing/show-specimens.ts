// Writes all specimens and distortions as PNG files to a folder, for inspection.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Picture } from '../src/image/gray.ts';
import { DISTORTIONS, photograph } from './distort/index.ts';
import { drawPerson, drawSpecimen, type SpecimenWish } from './specimens/index.ts';
import { encodePng } from './specimens/png.ts';

const folder = process.argv[2];
if (!folder) throw new Error('Missing folder. Usage: show-specimens.ts <folder>');
mkdirSync(folder, { recursive: true });

function save(name: string, picture: Picture): void {
  writeFileSync(join(folder!, `${name}.png`), encodePng(picture));
}

const WISHES: readonly (Pick<SpecimenWish, 'kind' | 'visa'> & { name: string })[] = [
  { name: 'passport', kind: 'passport' },
  { name: 'visa-a', kind: 'visa' },
  { name: 'visa-b', kind: 'visa', visa: 'MRV-B' },
  { name: 'card', kind: 'card' },
  { name: 'card-td2', kind: 'card_td2' },
  { name: 'licence-us', kind: 'licence_us' },
  { name: 'licence-ca', kind: 'licence_ca' },
];

let seed = 1;
for (const { name, ...wish } of WISHES) {
  const specimen = await drawSpecimen({ ...wish, person: drawPerson(seed), seed });
  const { portrait, zone, barcode } = specimen.sides;
  if (portrait) save(`${name}-portrait`, portrait);
  if (zone && zone !== portrait) save(`${name}-zone`, zone);
  if (barcode) save(`${name}-barcode`, barcode);
  for (const how of DISTORTIONS) {
    seed += 1;
    const side = seed % 2 === 0 ? (zone ?? barcode!) : (portrait ?? zone!);
    save(`${name}-as-${how}`, photograph(side, how, { seed, millimetres: specimen.millimetres }));
  }
}
