// Identifies a face among the people stored in this browser.
import { compareEmbeddings } from '../face/index.ts';
import { openPerson, type PersonRecord } from './person-record.ts';

/** Required lead of the best match over the second, as on the service. */
const MARGIN = 0.05;

export interface PersonMatch {
  /** The matching person; null if no one or more than one is similar enough. */
  person: PersonRecord | null;
  /** Device ids of all similar records. A new record of the person replaces them. */
  similarIds: string[];
}

export async function findPerson(
  face: Float32Array,
  records: readonly PersonRecord[],
  threshold: number,
): Promise<PersonMatch> {
  const scored: { record: PersonRecord; score: number }[] = [];
  for (const record of records) {
    const template = await openPerson(record);
    if (template?.length === face.length) scored.push({ record, score: compareEmbeddings(face, template) });
    template?.fill(0);
  }
  scored.sort((a, b) => b.score - a.score);
  const alike = scored.filter(({ score }) => score >= threshold);
  const [best, second] = scored;
  const isAhead = best !== undefined && best.score - (second?.score ?? -1) >= MARGIN;
  return {
    person: isAhead && best.score >= threshold ? best.record : null,
    similarIds: alike.map(({ record }) => record.deviceId),
  };
}
