// Ships are often written with their number after the name: `ORVEL STAR (IMO 9074729)`, `ORVEL STAR
// MMSI: 422123456`.
import type { IdentifierKind } from './kinds.ts';

export interface NumberInName {
  kind: IdentifierKind;
  value: string;
}

export interface NameWithNumbers {
  /** Name without the numbers and their brackets. */
  name: string;
  numbers: NumberInName[];
  /** Labeled IMO numbers with a wrong check digit. They remain in the name. */
  misread: string[];
}

const NUMBER_WORD = '(?:[\\s.:#-]*(?:number|no|nr|num)(?![\\p{L}\\p{N}])|[\\s.:]*№)?';
const BETWEEN = '[\\s.:#=/-]*';
const LABELS: readonly { kind: IdentifierKind; pattern: RegExp }[] = [
  { kind: 'imoNumber', pattern: labeled('imo', '\\d{7}') },
  { kind: 'mmsi', pattern: labeled('mmsi', '\\d{9}') },
  // Requires a digit, as nearly all have one: `Call Sign Alpha` may be a name.
  { kind: 'callSign', pattern: labeled('(?:call[\\s-]?sign|c/s)', '(?=[A-Z]*\\d)(?=\\d*[A-Z])[A-Z\\d]{3,8}') },
];
/** Cheap pre-check that rules out most names. */
const MAY_HAVE = /imo|mmsi|c\/s|call/i;
const EMPTY_BRACKETS = /[([][\s,;:/|-]*[)\]]/g;
const OPENED_BY_NOTHING = /([([])[\s,;:/|-]+/g;
const CLOSED_BY_NOTHING = /[\s,;:/|-]+([)\]])/g;
const AT_ITS_ENDS = /^[\s,;:/|-]+|[\s,;:/|([-]+$/g;

function labeled(label: string, value: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${label}${NUMBER_WORD}${BETWEEN}(${value})(?![\\p{L}\\p{N}])`, 'giu');
}

/** Returns undefined if the name contains no number. */
export function takeNumbers(name: string): NameWithNumbers | undefined {
  if (!MAY_HAVE.test(name)) return undefined;
  const numbers: NumberInName[] = [];
  const misread: string[] = [];
  let left = name;
  for (const { kind, pattern } of LABELS)
    left = left.replace(pattern, (written, value: string) => {
      if (kind === 'imoNumber' && !isImoNumber(value)) {
        misread.push(value);
        return written;
      }
      numbers.push({ kind, value: value.toUpperCase() });
      return ' ';
    });
  if (numbers.length + misread.length === 0) return undefined;
  return { name: numbers.length > 0 ? tidy(left) : name, numbers, misread };
}

function tidy(name: string): string {
  return name
    .replace(EMPTY_BRACKETS, ' ')
    .replace(OPENED_BY_NOTHING, '$1')
    .replace(CLOSED_BY_NOTHING, '$1')
    .replace(AT_ITS_ENDS, '')
    .replace(/\s+/g, ' ');
}

/** The check digit is the last digit of the weighted sum of the others (IMO resolution A.1117). */
function isImoNumber(digits: string): boolean {
  const sum = [...digits.slice(0, 6)].reduce((total, digit, at) => total + Number(digit) * (7 - at), 0);
  return sum % 10 === Number(digits.charAt(6));
}
