// A ship is often written with its number behind its name: `ORVEL STAR (IMO 9074729)`, `ORVEL STAR MMSI: 422123456`.
import type { IdentifierKind } from './kinds.ts';

export interface NumberInName {
  kind: IdentifierKind;
  value: string;
}

export interface NameWithNumbers {
  /** Without them, and without the brackets that they stood in. */
  name: string;
  numbers: NumberInName[];
  /** Behind the label of an IMO number, but its last digit is not the one that the others ask for: left in the name. */
  misread: string[];
}

const NUMBER_WORD = '(?:[\\s.:#-]*(?:number|no|nr|num)(?![\\p{L}\\p{N}])|[\\s.:]*№)?';
const BETWEEN = '[\\s.:#=/-]*';
const LABELS: readonly { kind: IdentifierKind; pattern: RegExp }[] = [
  { kind: 'imoNumber', pattern: labelled('imo', '\\d{7}') },
  { kind: 'mmsi', pattern: labelled('mmsi', '\\d{9}') },
  // With a digit, as nearly all have: `Call Sign Alpha` may be a name.
  { kind: 'callSign', pattern: labelled('(?:call[\\s-]?sign|c/s)', '(?=[A-Z]*\\d)(?=\\d*[A-Z])[A-Z\\d]{3,8}') },
];
/** Most names have none of the labels, and are told by this alone. */
const MAY_HAVE = /imo|mmsi|c\/s|call/i;
const EMPTY_BRACKETS = /[([][\s,;:/|-]*[)\]]/g;
const OPENED_BY_NOTHING = /([([])[\s,;:/|-]+/g;
const CLOSED_BY_NOTHING = /[\s,;:/|-]+([)\]])/g;
const AT_ITS_ENDS = /^[\s,;:/|-]+|[\s,;:/|([-]+$/g;

function labelled(label: string, value: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${label}${NUMBER_WORD}${BETWEEN}(${value})(?![\\p{L}\\p{N}])`, 'giu');
}

/** Undefined for a name without any, which stays as it is. */
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

/** The last digit is that of the sum of the others, each times its place from the right (IMO resolution A.1117). */
function isImoNumber(digits: string): boolean {
  const sum = [...digits.slice(0, 6)].reduce((total, digit, at) => total + Number(digit) * (7 - at), 0);
  return sum % 10 === Number(digits.charAt(6));
}
