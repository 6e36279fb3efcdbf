// What operators may be called: the audit log knows them by it, so that no two look the same there.
import { COMMAND_LINE_NAME } from '../../records/audit/acts.ts';

/** What nobody sees, or what turns the text around it: control and format characters, fillers, line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Why nobody new may be called so, or undefined. */
export function findNameProblem(name: string): string | undefined {
  if (name.trim() === '' || UNSEEN.test(name)) return 'must be one line of text without invisible characters';
  if (isSameName(name, COMMAND_LINE_NAME)) return 'is what the audit log calls the command line';
  return undefined;
}

/** Whether people would take one for the other: letters of either case, of another width, and more or less space. */
export function isSameName(one: string, other: string): boolean {
  return foldName(one) === foldName(other);
}

/** Of a name that came from elsewhere: without what nobody sees. */
export function cleanName(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(new RegExp(UNSEEN, 'gu'), '')
    .trim();
}

function foldName(name: string): string {
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  return folded.trim().replaceAll(/\s+/g, ' ');
}
