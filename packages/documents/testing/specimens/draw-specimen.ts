// Draws a fictional document and returns it with the printed data.

import { drawPassport, drawVisa, PASSPORT, SMALL_VISA, VISA } from './booklet.ts';
import { drawCardBack, drawCardFront, drawLargeCard, TD1, TD2 } from './cards.ts';
import { decideDetails } from './details.ts';
import { drawLicenseBack, drawLicenseFront, LICENSE } from './licences.ts';
import type { Specimen, SpecimenWish } from './wish.ts';

export async function drawSpecimen(wish: SpecimenWish): Promise<Specimen> {
  const isLicense = wish.kind === 'licence_us' || wish.kind === 'licence_ca';
  if (isLicense && wish.break && wish.break !== 'no_birth')
    throw new Error(
      `A license has no ${wish.break === 'check_digit' ? 'check digits' : 'partial birth dates'} to break.`,
    );
  const details = decideDetails(wish);
  const birth = details.birthShown;
  switch (wish.kind) {
    case 'passport': {
      const { sheet, lines } = drawPassport(details);
      return { sides: { portrait: sheet, zone: sheet }, truth: { lines, birth }, millimetres: PASSPORT };
    }
    case 'visa': {
      const { sheet, lines } = drawVisa(details);
      const millimeters = wish.visa === 'MRV-B' ? SMALL_VISA : VISA;
      return { sides: { portrait: sheet, zone: sheet }, truth: { lines, birth }, millimetres: millimeters };
    }
    case 'card': {
      const { sheet, lines } = drawCardBack(details);
      return { sides: { portrait: drawCardFront(details), zone: sheet }, truth: { lines, birth }, millimetres: TD1 };
    }
    case 'card_td2': {
      const { sheet, lines } = drawLargeCard(details);
      return { sides: { portrait: sheet, zone: sheet }, truth: { lines, birth }, millimetres: TD2 };
    }
    case 'licence_us':
    case 'licence_ca': {
      const { sheet, text } = await drawLicenseBack(details);
      const sides = { portrait: drawLicenseFront(details), barcode: sheet };
      return { sides, truth: { text, birth }, millimetres: LICENSE };
    }
  }
}
