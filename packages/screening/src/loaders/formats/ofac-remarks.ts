// Reads what OFAC puts into its remarks: dates of birth, nationalities and weak aliases, apart by semicolons.
import { addBirthDate, addName, addValue, type EntityDraft } from '../entity-draft.ts';
import { joinSpan, markCirca, readDecade, readEnglishDate } from '../listed-date.ts';

const BIRTH_DATE = /(?:^|[\s(])DOB:?\s+(.+)$/;
const COUNTRY = /^(?:alt\.\s*)?(?:nationality(?:\s+of\s+registration)?|citizen)\s+(.+)$/i;
/** OFAC quotes the aliases that it calls weak. */
const WEAK_ALIAS = /^\(?(?:alt\.\s*)?[afn]\.k\.a\.,?\s+(['"])(.+)\1\)?$/i;

export function readRemarks(draft: EntityDraft, remarks: string): void {
  for (const piece of remarks.split(';')) {
    const remark = piece.trim().replace(/\.$/, '');
    const weakAlias = WEAK_ALIAS.exec(remark)?.[2];
    if (weakAlias !== undefined) {
      addName(draft, 'weakNames', weakAlias);
      continue;
    }
    const country = COUNTRY.exec(remark)?.[1];
    if (country !== undefined) addValue(draft, 'countries', country);
    const birthDate = BIRTH_DATE.exec(remark)?.[1];
    if (birthDate !== undefined) addBirthDate(draft, birthDate, readOfacDate(birthDate));
  }
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
