// Reads what OFAC puts into its remarks: dates of birth, nationalities, identifiers and weak aliases, apart by semicolons.
import { addBirthDate, addIdentifier, addName, addNationality, addValue, type EntityDraft } from '../entity-draft.ts';
import { joinSpan, markCirca, readDecade, readEnglishDate } from '../listed-date.ts';
import { findOfacIdentifier } from './ofac-identifiers.ts';

/** OFAC cuts its remarks here, in the middle of a number too; the rest is in a file of its own. */
const CUT_AT = 1_000;
const BIRTH_DATE = /(?:^|[\s(])DOB:?\s+(.+)$/;
const NATIONALITY = /^(?:alt\.\s*)?(?:nationality|citizen)\s+(?!of\s+registration)(.+)$/i;
const REGISTERED_IN = /^(?:alt\.\s*)?nationality\s+of\s+registration\s+(.+)$/i;
const FLAG = /^(?:alt\.\s*)?(?:(?:former|other)\s+)?vessel\s+flag\s+(.+)$/i;
/** OFAC quotes the aliases that it calls weak. */
const WEAK_ALIAS = /^\(?(?:alt\.\s*)?[afn]\.k\.a\.,?\s+(['"])(.+)\1\)?$/i;

export function readRemarks(draft: EntityDraft, remarks: string): void {
  const pieces = remarks.split(';');
  if (remarks.length >= CUT_AT && !remarks.endsWith('.')) pieces.pop();
  for (const piece of pieces) readRemark(draft, piece.trim().replace(/\.$/, ''));
}

function readRemark(draft: EntityDraft, remark: string): void {
  const weakAlias = WEAK_ALIAS.exec(remark)?.[2];
  if (weakAlias !== undefined) {
    addName(draft, 'weakNames', weakAlias);
    return;
  }
  const identifier = findOfacIdentifier(remark);
  if (identifier !== undefined) {
    addIdentifier(draft, identifier.kind, identifier.value);
    return;
  }
  addNationality(draft, NATIONALITY.exec(remark)?.[1] ?? '');
  addValue(draft, 'countries', REGISTERED_IN.exec(remark)?.[1] ?? '');
  addFlag(draft, FLAG.exec(remark)?.[1] ?? '');
  const birthDate = BIRTH_DATE.exec(remark)?.[1];
  if (birthDate !== undefined) addBirthDate(draft, birthDate, readOfacDate(birthDate));
}

/** A ship has to do with the country whose flag it flies or flew. */
export function addFlag(draft: EntityDraft, flag: string): void {
  if (!/^(?:none|unknown)\b/i.test(flag)) addValue(draft, 'countries', flag);
}

/** `05 May 1971`, `circa 1960`, `1960 to 1962`, `between 1955 and 1958`, `circa 1960-1963`, `1970s`. */
export function readOfacDate(text: string): string | null {
  const trimmed = text.trim().replace(/[).]+$/, '');
  const circa = /^(?:circa|approximately|approx\.?|c\.)\s*(.+)$/i.exec(trimmed)?.[1];
  if (circa !== undefined) return markCirca(readOfacDate(circa));
  const span = /^(?:between\s+)?(.+?)\s+(?:to|and)\s+(.+)$/i.exec(trimmed) ?? /^(\d{4})\s*-\s*(\d{4})$/.exec(trimmed);
  if (span !== null) return joinSpan(readEnglishDate(span[1]!.trim()), readEnglishDate(span[2]!.trim()));
  return readDecade(trimmed) ?? readEnglishDate(trimmed);
}
