// Codes of banks (ISO 9362): the first eight characters are the bank, three more behind them one of its branches.

/** VAT numbers are written with the country before them and without it: `DE123456789` is `123456789` in Germany. */
const WITH_COUNTRY =
  /^(AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK|XI|CHE?)([A-Z]?\d{7,12}[0-9A-Z]{0,3})$/;

/** Greece and Northern Ireland have letters of their own. */
const OTHER_CODES: Readonly<Record<string, string>> = { EL: 'gr', XI: 'gb' };

interface VatNumber {
  /** As two small letters. */
  country: string;
  number: string;
}

/** Null for what has no such country before it. */
export function withoutVatCountry(normalised: string): VatNumber | null {
  const [, code = '', number] = WITH_COUNTRY.exec(normalised) ?? [];
  return number === undefined ? null : { country: OTHER_CODES[code] ?? code.slice(0, 2).toLowerCase(), number };
}

/** Whether two are one number; of two that both name a country, the country must be the same. */
export function isSameNumber(one: string, other: string): boolean {
  if (one === other) return true;
  const [with1, with2] = [withoutVatCountry(one), withoutVatCountry(other)];
  return with1 && with2 ? false : with1?.number === other || with2?.number === one;
}

const WITH_BRANCH = /^([A-Z]{6}[0-9A-Z]{2})[0-9A-Z]{3}$/;
const BANK = /^[A-Z]{6}[0-9A-Z]{2}$/;

/** Null for what names no branch. */
export function withoutBranch(normalised: string): string | null {
  return WITH_BRANCH.exec(normalised)?.[1] ?? null;
}

/** Whether two codes are of one bank, whichever of its branches they name. */
export function isSameBank(one: string, other: string): boolean {
  const bank = withoutBranch(one) ?? one;
  return BANK.test(bank) && bank === (withoutBranch(other) ?? other);
}
