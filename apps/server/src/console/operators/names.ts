// Names of operators. No two may look the same in the audit log.
import { COMMAND_LINE_NAME } from '../../records/audit/acts.ts';

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

export function findNameProblem(name: string): string | undefined {
  if (name.trim() === '' || UNSEEN.test(name)) return 'must be one line of text without invisible characters';
  if (isSameName(name, COMMAND_LINE_NAME)) return 'is what the audit log calls the command line';
  return undefined;
}

/** Returns whether people could confuse two names: case, width and amount of space are ignored. */
export function isSameName(first: string, second: string): boolean {
  return foldName(first) === foldName(second);
}

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
