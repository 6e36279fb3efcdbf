// Splits texts that contain former names: `Orvel Star (ex-Brantor)`, `Orvelia Ltd (formerly Brantor
// Ltd)`.
import { KIND_ORGANIZATION, KIND_VESSEL, type Kind } from '../kind.ts';

export interface NameAt {
  text: string;
  start: number;
}

const FORMERLY =
  'formerly(?: known as| named| called)?|previously(?: known as| named)?|f[./]?k[./]?a\\.?|n[./]?k[./]?a\\.?|now known as|renamed(?: to| as)?|anciennement|vormals|ранее|бывш(?:ая|ее|ий|\\.)?';
/**
 * Ships change names with their owners. In other names, `ex` and `now` are words unless they follow
 * a bracket or a comma.
 */
const SHORT = 'ex(?:[- ]names?)?|now(?: named| called)?|later';
const OF_SHIP = new RegExp(`(?:^|[\\s,;/(\\[]+)(?:${FORMERLY}|${SHORT})(?:[\\s:.-]+|$)`, 'iu');
const OF_ORGANIZATION = new RegExp(`(?:[\\s,;(\\[]+(?:${FORMERLY})|\\s*[,;(\\[]\\s*(?:${SHORT}))[\\s:.-]+`, 'iu');
/** Maximum number of names. Each is a separate search. */
const MOST_NAMES = 6;
const HAS_LETTERS = /[\p{L}\p{N}]/u;

/** Returns undefined for a single name. */
export function splitFormerNames(name: string, kind: Kind): NameAt[] | undefined {
  const pattern = kind === KIND_VESSEL ? OF_SHIP : kind === KIND_ORGANIZATION ? OF_ORGANIZATION : undefined;
  const names: NameAt[] = [];
  let start = 0;
  for (
    let marker = pattern?.exec(name);
    marker && names.length < MOST_NAMES;
    marker = pattern!.exec(name.slice(start))
  ) {
    names.push({ text: name.slice(start, start + marker.index), start });
    start += marker.index + marker[0].length;
  }
  if (start === 0) return undefined;
  names.push({ text: name.slice(start), start });
  const usable = names.filter(({ text }) => HAS_LETTERS.test(text));
  // `Orvel Now` has nothing after the word, and a company has a name before it.
  const isWhole = usable.length < (kind === KIND_VESSEL ? 1 : 2) || !HAS_LETTERS.test(names.at(-1)!.text);
  return isWhole ? undefined : usable;
}
