// Writes the outcome for a subject in the format of the API.
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

export function writeEntry(entity: ListedEntity): ListedEntry {
  const { nationalities, firstSeen, lastSeen, addresses, positions, identifiers, referents } = entity;
  return {
    ...showEntity(entity),
    ...{ nationalities, firstSeen, lastSeen },
    addresses: addresses.slice(0, MAX_SHOWN_OF_MATCH.addresses),
    positions: positions.slice(0, MAX_SHOWN_OF_MATCH.positions),
    identifiers: identifiers.slice(0, MAX_SHOWN_OF_MATCH.identifiers),
    referents: referents.slice(0, MAX_SHOWN_OF_MATCH.referents),
  };
}

function explain(features: Features, matchedName: string): WrittenMatch['explanation'] {
  const parts = Object.entries(features).map(([feature, { agreement: _, ...compared }]) => [feature, compared]);
  return { name: { detail: '', query: '', candidate: matchedName }, ...Object.fromEntries(parts) };
}
