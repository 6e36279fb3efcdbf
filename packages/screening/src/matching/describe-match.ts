// Describes a match: the listed record, and the reasons in words that an analyst can read.
import { compareDates, type DateComparison, type DateRelation } from '../dates/compare-dates.ts';
import type { QueryDate } from '../dates/query-date.ts';
import type { ListedEntity } from '../entity.ts';
import { NAME_ENTITY_SHIFT } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { readTokenText, type ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON, KINDS, type Kind } from '../kind.ts';
import { foldName } from '../names/fold-name.ts';
import { nameForms } from '../names/name-forms.ts';
import { makeAcronyms } from '../names/organisation/acronym.ts';
import { ACRONYM_MARK, isMarked, LEGAL_MARK } from '../names/organisation/marks.ts';
import {
  ACRONYM,
  INITIAL,
  type Likeness,
  NEAR,
  NICKNAME,
  OTHER_FORM,
  OTHER_SCRIPT,
  SAME,
  SLIP,
  SOUND,
  SPELLING,
} from './likeness.ts';
import type { CutName, NameSearch } from './name-search.ts';
import type { PartPairs } from './part-pairs.ts';
import type { Query, QueryPart } from './query.ts';
import type { Hit } from './top-hits.ts';

/** Displayed fields of an entity in a row's result. */
export interface ShownEntity {
  id: string;
  caption: string;
  schema: string;
  birthDate: string[];
  countries: string[];
  datasets: string[];
  topics: string[];
  programs: string[];
  /** Other names, up to MAX_ALIASES. */
  aliases: string[];
  lastChange: string | null;
}

export interface Match extends ShownEntity {
  matchedName: string;
  score: number;
  explanation: { name: string; birthDate: string };
}

const MAX_ALIASES = 20;

/** A part of a listed name: its compared form and its position in the written name. */
interface ListedPart {
  text: string;
  written: string;
  start: number;
}

const WORDS: Record<Likeness, string> = {
  [SAME]: 'same',
  [SPELLING]: 'spelling variant',
  [OTHER_FORM]: 'other form of the name',
  [NICKNAME]: 'short form',
  [SLIP]: 'likely misspelling',
  [SOUND]: 'sounds alike',
  [INITIAL]: 'initial',
  [OTHER_SCRIPT]: 'same consonants, other script',
  [NEAR]: 'differs in a letter or two',
  [ACRONYM]: 'first letters',
};

export function createDescriber(index: ScreeningIndex, pairs: PartPairs, searchFor: (kind: Kind) => NameSearch) {
  const { dates, dateOffsets, nameFlags } = index.sections;
  const kindOf = (name: number) => KINDS.find((kind) => (nameFlags[name]! >>> NAME_ENTITY_SHIFT) & kind)!;

  return function describe(query: Query, hit: Hit): Match {
    const entity = decodeEntity(index.sections, hit.entity);
    const { id, caption, schema, ...shown } = showEntity(entity);
    const { written, parts } = findListedName([...entity.names, ...entity.weakNames], hit.name);
    const comparison = compareDates(query.date, dates, dateOffsets[hit.entity]!, dateOffsets[hit.entity + 1]!);
    const weak = entity.weakNames.includes(written);
    return {
      id,
      caption,
      schema,
      matchedName: written,
      score: hit.score,
      ...shown,
      explanation: {
        name: `${weak ? 'weak alias; ' : ''}${explainName(query, hit, parts, comparison.relation)}`,
        birthDate: explainDate(query.date, comparison, entity.birthDates),
      },
    };
  };

  /** Finds the written name that has these parts. */
  function findListedName(names: string[], name: number): { written: string; parts: ListedPart[] } {
    const { nameTokens, nameTokenOffsets } = index.sections;
    const tokens = nameTokens.subarray(nameTokenOffsets[name]!, nameTokenOffsets[name + 1]!);
    const key = Array.from(tokens, (token) => readTokenText(index.sections, token)).join(' ');
    for (const written of names) {
      for (const parts of nameForms(written, kindOf(name))) {
        if (parts.map(({ text }) => text).join(' ') === key) {
          return {
            written,
            parts: parts.map(({ text, start, end }) => ({ text, written: written.slice(start, end), start })),
          };
        }
        const acronym = key.startsWith(ACRONYM_MARK) && makeAcronyms(parts).some(({ text }) => text === key);
        if (acronym) return { written, parts: [{ text: key, written, start: 0 }] };
      }
    }
    return { written: names[0] ?? '', parts: key.split(' ').map((text, start) => ({ text, written: text, start })) };
  }

  function explainName(query: Query, hit: Hit, listed: ListedPart[], relation: DateRelation): string {
    const {
      cut: { parts, isWritten },
      readAs,
    } = compareBest(query, hit, relation);
    const isPhrased = isWritten && kindOf(hit.name) !== KIND_PERSON;
    const pairings = pairs.pairings().toSorted((a, b) => parts[a.part]!.place - parts[b.part]!.place);
    const sentences = pairings.map(({ part, place, likeness }) => {
      const [queryPart, { written }] = [parts[part]!, listed[place]!];
      return isPhrased && isReplaced(queryPart)
        ? explainPhrase(queryPart, written, likeness)
        : explainPair(queryPart, written, likeness);
    });
    let extra = parts.filter((_, part) => !pairings.some((pairing) => pairing.part === part));
    let missing = listed.filter((_, place) => !pairings.some((pairing) => pairing.place === place));
    if (kindOf(hit.name) !== KIND_PERSON) {
      // Two words that were compared as one are reported once.
      const reportedWords = new Set(pairings.map(({ part }) => parts[part]!.written));
      const toldAt = new Set(pairings.map(({ place }) => listed[place]!.start));
      extra = extra.filter((one) => !(isPhrased && isReplaced(one)) || addIfNew(reportedWords, one.written));
      missing = missing.filter(({ start }) => addIfNew(toldAt, start));
      const [legal, listedLegal] = [extra.find(isLegal), missing.find(isLegal)];
      if (legal && listedLegal) {
        sentences.push(`${legal.written} ~ ${listedLegal.written}: another legal form`);
        extra = extra.filter((one) => one !== legal);
        missing = missing.filter((one) => one !== listedLegal);
      }
    }
    if (extra.length > 0) sentences.push(`not in the listed name: ${extra.map(({ written }) => written).join(' ')}`);
    if (missing.length > 0)
      sentences.push(`only in the listed name: ${missing.map(({ written }) => written).join(' ')}`);
    if (!isWritten) sentences.push('parts joined or split');
    const distinctSentences = kindOf(hit.name) === KIND_PERSON ? sentences : [...new Set(sentences)];
    return (readAs === undefined ? distinctSentences : [`read as ${readAs}`, ...distinctSentences]).join('; ');
  }

  /** Finds the best-scoring name and segmentation, which hits do not record. Compares it last. */
  function compareBest(query: Query, { name }: Hit, relation: DateRelation): BestCut {
    const search = searchFor(kindOf(name));
    const compare = (cut: CutName) => {
      search.begin(cut);
      const score = search.compare(name, relation);
      search.end();
      return score;
    };
    let best: (BestCut & { score: number }) | undefined;
    for (const written of query.names) {
      if (written.kind !== kindOf(name)) continue;
      for (const cut of search.readings(written)) {
        const score = compare(cut);
        if (best === undefined || score > best.score) best = { cut, readAs: written.readAs, score };
      }
    }
    if (best === undefined) throw new Error('the hit is not of this query');
    compare(best.cut);
    return best;
  }
}

interface BestCut {
  cut: CutName;
  readAs: string | undefined;
}

export function showEntity(entity: ListedEntity): ShownEntity {
  const { id, caption, schema, names, weakNames, birthDates, countries, datasets, topics, programs, lastChange } =
    entity;
  const aliases = [...names, ...weakNames].filter((name) => name !== caption).slice(0, MAX_ALIASES);
  return { id, caption, schema, birthDate: birthDates, countries, datasets, topics, programs, aliases, lastChange };
}

/** Returns whether the value was added for the first time. */
function addIfNew<Value>(reported: Set<Value>, value: Value): boolean {
  const { size } = reported;
  return reported.add(value).size > size;
}

function isLegal({ text }: { text: string }): boolean {
  return text.startsWith(LEGAL_MARK);
}

function plainLetters(written: string): string {
  return foldName(written)
    .map(({ text }) => text)
    .join('');
}

/** Returns whether the part was translated or expanded: DPRK is compared as North Korea. */
function isReplaced({ text, written }: QueryPart): boolean {
  return !isMarked(text) && plainLetters(written) !== text;
}

function explainPhrase(part: QueryPart, listed: string, likeness: Likeness): string {
  const isSpelled = likeness === SAME || likeness === SPELLING || likeness === SLIP || likeness === SOUND;
  if (!isSpelled) return explainPair(part, listed, likeness);
  const isSame = plainLetters(part.written) === plainLetters(listed);
  return isSame ? `${part.written}: ${WORDS[SAME]}` : `${part.written} ~ ${listed}: ${WORDS[OTHER_FORM]}`;
}

function explainPair({ text, written, syllabic }: QueryPart, listed: string, likeness: Likeness): string {
  if (likeness !== SAME) return `${written} ~ ${listed}: ${WORDS[likeness]}`;
  if (isMarked(text) && written.toLowerCase() !== listed.toLowerCase()) {
    return `${written} ~ ${listed}: same ${text.startsWith(LEGAL_MARK) ? 'kind of legal form' : 'number'}`;
  }
  return syllabic && !listed.includes(written) ? `${written} ~ ${listed}: ${WORDS[SOUND]}` : `${written}: same`;
}

export function explainDate(
  date: QueryDate | undefined,
  { relation, listed, yearsApart }: DateComparison,
  names: string[],
): string {
  if (date === undefined) return names.length === 0 ? 'not given and not listed' : 'not given';
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
