// What a specimen is asked for and what comes back.

import type { Picture } from '../../src/image/gray.ts';
import type { Size } from '../distort/canvas.ts';
import type { Person } from './person.ts';

export interface SpecimenWish {
  readonly kind: 'passport' | 'visa' | 'card' | 'card_td2' | 'licence_us' | 'licence_ca';
  readonly person: Person;
  /** Head and shoulders. Without one a simple face is drawn. */
  readonly portrait?: Picture;
  readonly seed: number;
  /** YYYY-MM-DD; otherwise in the years 2023 to 2025, and ten years later. */
  readonly issued?: string;
  readonly expires?: string;
  /** Licences have neither check digits nor partial dates. */
  readonly break?: 'check_digit' | 'no_birth' | 'partial_birth';
  /** Of visas: a full page (MRV-A, the default) or a small one (MRV-B). */
  readonly visa?: 'MRV-A' | 'MRV-B';
}

export interface Specimen {
  /** The same picture twice where both are on one side. */
  readonly sides: { readonly portrait?: Picture; readonly zone?: Picture; readonly barcode?: Picture };
  readonly truth: {
    /** The zone's lines as printed. */
    readonly lines?: string[];
    /** What the barcode says. */
    readonly text?: string;
    /** YYYY-MM-DD; YYYY-MM or YYYY where the rest is not printed; empty where none is. */
    readonly birth: string;
  };
  /** True size, for `photograph`. */
  readonly millimetres: Size;
}

/** What the layouts print: the wish with all that was open decided. */
export interface Details extends SpecimenWish {
  readonly face: Picture;
  readonly number: string;
  readonly issued: string;
  readonly expires: string;
  /** As in `Specimen`. */
  readonly birthShown: string;
}
