// What was found for a subject, as clients read it.
import type { ListedEntry, SubjectResult, SubjectMatch as WrittenMatch } from '@limen/contract';
import { type Features, type ListedEntity, type SubjectMatch, showEntity } from '@limen/screening';
import type { SubjectOutcome } from '../engine/messages.ts';
import { MAX_SHOWN_OF_MATCH } from '../limits.ts';

export function writeResult({ best, matches, warnings }: SubjectOutcome, id: string | undefined): SubjectResult {
  return {
    ...(id !== undefined && { id }),
    match: matches.length > 0,
    score: best,
    matches: matches.map(writeMatch),
    ...(warnings.length > 0 && { warnings }),
  };
}

export function writeMatch({ entity, matchedName, score, nameScore, features }: SubjectMatch): WrittenMatch {
  return { ...writeEntry(entity), matchedName, score, nameScore, explanation: explain(features, matchedName) };
}

/** What is listed of it, and not how it compares. */
export function writeEntry(entity: ListedEntity): ListedEntry {
  const { nationalities, firstSeen, lastSeen } = entity;
  return {
    ...showEntity(entity),
    nationalities,
    firstSeen,
    lastSeen,
    addresses: entity.addresses.slice(0, MAX_SHOWN_OF_MATCH.addresses),
    positions: entity.positions.slice(0, MAX_SHOWN_OF_MATCH.positions),
    identifiers: entity.identifiers.slice(0, MAX_SHOWN_OF_MATCH.identifiers),
    referents: entity.referents.slice(0, MAX_SHOWN_OF_MATCH.referents),
  };
}

function explain(features: Features, matchedName: string): WrittenMatch['explanation'] {
  const told = Object.entries(features).map(([feature, { agreement: _, ...compared }]) => [feature, compared]);
  return { name: { detail: '', query: '', candidate: matchedName }, ...Object.fromEntries(told) };
}
