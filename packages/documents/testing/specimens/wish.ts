// Request for a specimen, and the result.

import type { Picture } from '../../src/image/gray.ts';
import type { Size } from '../distort/canvas.ts';
import type { Person } from './person.ts';

export interface SpecimenWish {
  readonly kind: 'passport' | 'visa' | 'card' | 'card_td2' | 'licence_us' | 'licence_ca';
  readonly person: Person;
  /** Head and shoulders; by default a simple face. */
  readonly portrait?: Picture;
  readonly seed: number;
  /** YYYY-MM-DD; by default in 2023 to 2025, and ten years later. */
  readonly issued?: string;
  readonly expires?: string;
  /** Licenses have neither check digits nor partial dates. */
  readonly break?: 'check_digit' | 'no_birth' | 'partial_birth';
  /** Kind of visa: full page (MRV-A, default) or small (MRV-B). */
  readonly visa?: 'MRV-A' | 'MRV-B';
}

export interface Specimen {
  /** Contains the same picture twice if both are on one side. */
  readonly sides: { readonly portrait?: Picture; readonly zone?: Picture; readonly barcode?: Picture };
  readonly truth: {
    /** Printed lines of the zone. */
    readonly lines?: string[];
    /** Text of the barcode. */
    readonly text?: string;
    /** YYYY-MM-DD, or a prefix for partial dates; empty without a date. */
    readonly birth: string;
  };
  /** True size, for `photograph`. */
  readonly millimetres: Size;
}

/** Completed request that the layouts print. */
export interface Details extends SpecimenWish {
  readonly face: Picture;
  readonly number: string;
  readonly issued: string;
  readonly expires: string;
  /** As in `Specimen`. */
  readonly birthShown: string;
}
