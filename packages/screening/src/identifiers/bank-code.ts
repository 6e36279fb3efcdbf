// Bank codes (ISO 9362): eight characters identify the bank, three optional ones its branch.

/** VAT numbers with or without country: `DE123456789` is `123456789` in Germany. */
const WITH_COUNTRY =
  /^(AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK|XI|CHE?)([A-Z]?\d{7,12}[0-9A-Z]{0,3})$/;

/** Greece and Northern Ireland use prefixes that differ from their country codes. */
const OTHER_CODES: Readonly<Record<string, string>> = { EL: 'gr', XI: 'gb' };

interface VatNumber {
  /** Two lower-case letters. */
  country: string;
  number: string;
}

/** Returns null if the number has no such prefix. */
export function splitVatCountry(normalized: string): VatNumber | null {
  const [, code = '', number] = WITH_COUNTRY.exec(normalized) ?? [];
  return number === undefined ? null : { country: OTHER_CODES[code] ?? code.slice(0, 2).toLowerCase(), number };
}

/** Returns whether two numbers, and their countries if both have one, are equal. */
export function isSameNumber(left: string, right: string): boolean {
  if (left === right) return true;
  const [with1, with2] = [splitVatCountry(left), splitVatCountry(right)];
  return with1 && with2 ? false : with1?.number === right || with2?.number === left;
}

const WITH_BRANCH = /^([A-Z]{6}[0-9A-Z]{2})[0-9A-Z]{3}$/;
const BANK = /^[A-Z]{6}[0-9A-Z]{2}$/;

/** Returns null if the code has no branch. */
export function stripBranch(normalized: string): string | null {
  return WITH_BRANCH.exec(normalized)?.[1] ?? null;
}

/** Returns whether two codes belong to the same bank, in any of its branches. */
export function isSameBank(left: string, right: string): boolean {
  const bank = stripBranch(left) ?? left;
  return BANK.test(bank) && bank === (stripBranch(right) ?? right);
}
