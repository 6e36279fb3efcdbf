// Counts the people, sanctioned entities and politically exposed people in an index.
import { KIND_PERSON } from '../kind.ts';
import { ENTITY_PEP, ENTITY_SANCTIONED } from './entity-flags.ts';
import type { ScreeningIndex } from './screening-index.ts';

export interface TopicCounts {
  people: number;
  sanctions: number;
  peps: number;
}

export function countTopics({ sections: { entityFlags } }: ScreeningIndex): TopicCounts {
  const counts = { people: 0, sanctions: 0, peps: 0 };
  for (const flags of entityFlags) {
    if ((flags & KIND_PERSON) !== 0) counts.people += 1;
    if ((flags & ENTITY_SANCTIONED) !== 0) counts.sanctions += 1;
    if ((flags & ENTITY_PEP) !== 0) counts.peps += 1;
  }
  return counts;
}
