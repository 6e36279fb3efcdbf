// The number of a certificate, in the one form in which two are compared.

/** More bytes of the sign than need be, which DER forbids (X.690, 8.3.2). */
const REDUNDANT = /^(?:00(?=[0-7])|ff(?=[89a-f]))+/;

/**
 * From the bytes of the integer, in hex. RFC 5280, 4.1.2.2: there are negative ones, of authorities that left out the zero which keeps a
 * number from being negative; with it or without, the same certificate is meant.
 */
export function normaliseSerial(hex: string): string {
  return hex
    .toLowerCase()
    .replace(REDUNDANT, '')
    .replace(/^00(?=.)/, '');
}
