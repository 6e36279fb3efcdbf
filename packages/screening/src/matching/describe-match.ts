// What is reported of a match: the listed record, and why it matches in words an analyst can read.
import { compareDates, type DateComparison } from '../dates/compare-dates.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { decodeEntity } from '../index/entity-record.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { foldName } from '../names/fold-name.ts';
import { classifyPart, TOKEN_TITLE } from '../names/part-class.ts';
import type { Aligner } from './alignment.ts';
import { INITIAL, type Likeness, NICKNAME, OTHER_FORM, OTHER_SCRIPT, SAME, SLIP, SOUND, SPELLING } from './likeness.ts';
import type { PartLookup } from './part-lookup.ts';
import type { Query, QueryPart } from './query.ts';
import { furtherReadings } from './readings.ts';
import type { Hit } from './top-hits.ts';

export interface Match {
  id: string;
  caption: string;
  schema: string;
  matchedName: string;
  score: number;
  birthDate: string[];
  countries: string[];
  datasets: string[];
  topics: string[];
  programs: string[];
  /** Other names, at most MAX_ALIASES. */
  aliases: string[];
  lastChange: string | null;
  explanation: { name: string; birthDate: string };
}

const MAX_ALIASES = 20;

const WORDS: Record<Likeness, string> = {
  [SAME]: 'same',
  [SPELLING]: 'spelling variant',
  [OTHER_FORM]: 'other form of the name',
  [NICKNAME]: 'short form',
  [SLIP]: 'likely misspelling',
  [SOUND]: 'sounds alike',
  [INITIAL]: 'initial',
  [OTHER_SCRIPT]: 'same consonants, other script',
};

export function createDescriber(index: ScreeningIndex, lookup: PartLookup, aligner: Aligner) {
  const { dates, dateOffsets } = index.sections;

  return function describe(query: Query, hit: Hit): Match {
    const entity = decodeEntity(index.sections, hit.entity);
    const { id, caption, schema, birthDates, countries, datasets, topics, programs, lastChange } = entity;
    const names = [...entity.names, ...entity.weakNames];
    const { written, parts } = findListedName(names, hit.name);
    const comparison = compareDates(query.date, dates, dateOffsets[hit.entity]!, dateOffsets[hit.entity + 1]!);
    const weak = entity.weakNames.includes(written);
    return {
      ...{ id, caption, schema, matchedName: written, score: hit.score, birthDate: birthDates, countries, datasets },
      ...{ topics, programs, aliases: names.filter((name) => name !== caption).slice(0, MAX_ALIASES), lastChange },
      explanation: {
        name: `${weak ? 'weak alias; ' : ''}${explainName(query, hit.name, parts, comparison.relation === 'day')}`,
        birthDate: explainDate(query.date, comparison, birthDates),
      },
    };
  };

  /** The index keeps parts, the record keeps names as written: the name whose parts these are. */
  function findListedName(names: string[], name: number): { written: string; parts: string[] } {
    const { nameTokens, nameTokenOffsets, tokenText, tokenTextOffsets } = index.sections;
    const tokens = nameTokens.subarray(nameTokenOffsets[name]!, nameTokenOffsets[name + 1]!);
    const key = Array.from(tokens, (token) =>
      String.fromCharCode(...tokenText.subarray(tokenTextOffsets[token]!, tokenTextOffsets[token + 1]!)),
    ).join(' ');
    for (const written of names) {
      const all = foldName(written);
      const named = all.filter(({ text, vowelless }) => (classifyPart(text, vowelless) & TOKEN_TITLE) === 0);
      const used = named.length > 0 ? named : all;
      if (used.map(({ text }) => text).join(' ') !== key) continue;
      return { written, parts: used.map(({ start, end }) => written.slice(start, end)) };
    }
    return { written: names[0] ?? '', parts: key.split(' ') };
  }

  function explainName(query: Query, name: number, listed: string[], isSameDay: boolean): string {
    const reading = bestReading(query, name, isSameDay);
    aligner.begin(reading.map(({ text, vowelless }) => lookup.find(text, vowelless)));
    aligner.align(name, isSameDay);
    const pairings = aligner.pairings().toSorted((a, b) => a.part - b.part);
    aligner.end();
    const pairs = pairings.map(({ part, place, likeness }) =>
      likeness === SAME
        ? `${reading[part]!.written}: same`
        : `${reading[part]!.written} ~ ${listed[place]}: ${WORDS[likeness]}`,
    );
    const extra = reading.filter((_, part) => !pairings.some((pairing) => pairing.part === part));
    const missing = listed.filter((_, place) => !pairings.some((pairing) => pairing.place === place));
    if (extra.length > 0) pairs.push(`not in the listed name: ${extra.map(({ written }) => written).join(' ')}`);
    if (missing.length > 0) pairs.push(`only in the listed name: ${missing.join(' ')}`);
    if (reading !== query.parts) pairs.push('parts joined or split');
    return pairs.join('; ');
  }

  /** The reading that the match came from is not kept; the one that agrees most with the name is it. */
  function bestReading(query: Query, name: number, isSameDay: boolean): QueryPart[] {
    let best = query.parts;
    let bestShare = shareOf(best, name, isSameDay);
    for (const reading of bestShare > 0.999 ? [] : furtherReadings(query.parts, lookup)) {
      const share = shareOf(reading, name, isSameDay);
      if (share > bestShare) [best, bestShare] = [reading, share];
    }
    return best;
  }

  function shareOf(reading: QueryPart[], name: number, isSameDay: boolean): number {
    aligner.begin(reading.map(({ text, vowelless }) => lookup.find(text, vowelless)));
    const { agreed, matched, queryRest, listedRest } = aligner.align(name, isSameDay);
    aligner.end();
    return agreed / (matched + queryRest + listedRest);
  }
}

function explainDate(
  date: QueryDate | undefined,
  { relation, listed, yearsApart }: DateComparison,
  all: string[],
): string {
  if (date === undefined) return all.length === 0 ? 'not given and not listed' : 'not given';
  if (listed === undefined) return 'not listed';
  switch (relation) {
    case 'day':
      return 'same day';
    case 'swapped':
      return 'same, day and month exchanged';
    case 'month':
      return 'same month';
    case 'year':
      return 'same year';
    case 'span':
      return listed.circa
        ? `near the listed circa ${listed.year}`
        : `within the listed ${listed.year} to ${listed.lastYear}`;
    case 'sameYear':
      return 'same year, another day';
    case 'misread':
      return `same day and month, birth year differs by ${yearsApart}, likely one digit`;
    default:
      return `birth year differs by ${yearsApart}`;
  }
}
