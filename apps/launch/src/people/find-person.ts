// Whose face it is, among those that this browser keeps.
import { compareEmbeddings } from '../face/index.ts';
import { openPerson, type PersonRecord } from './person-record.ts';

/** How far the best must be ahead of the second, as on the service. */
const MARGIN = 0.05;

export interface Sighting {
  /** The one person that it is; null where nobody is like enough, or two are. */
  person: PersonRecord | null;
  /** All that are like enough, by their device ids: a new record of the person takes their place. */
  alike: string[];
}

export async function findPerson(
  face: Float32Array,
  records: readonly PersonRecord[],
  threshold: number,
): Promise<Sighting> {
  const scored: { record: PersonRecord; score: number }[] = [];
  for (const record of records) {
    const template = await openPerson(record);
    if (template?.length === face.length) scored.push({ record, score: compareEmbeddings(face, template) });
    template?.fill(0);
  }
  scored.sort((one, other) => other.score - one.score);
  const alike = scored.filter(({ score }) => score >= threshold);
  const [best, second] = scored;
  const isAhead = best !== undefined && best.score - (second?.score ?? -1) >= MARGIN;
  return {
    person: isAhead && best.score >= threshold ? best.record : null,
    alike: alike.map(({ record }) => record.deviceId),
  };
}
