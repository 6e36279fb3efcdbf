// Turns the nearest embeddings into people: one match per person, checked against the database and the threshold.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareHits, type Hit } from '@limen/gallery';
import type { MatchThresholds } from '../../models/match-threshold.ts';
import type { GalleryRow } from '../store/galleries.ts';
import type { FaceOwner, PeopleStore } from '../store/people.ts';
import type { FaceIndex } from './face-index.ts';

export interface Match extends FaceOwner {
  similarity: number;
}

/** People of one name compared before other work gets its turn: a few milliseconds */
const NAMED_PAGE = 200;
/** Searches before hits whose row was deleted are left out */
const MAX_ROUNDS = 3;

export function createPeopleSearch(store: PeopleStore, index: FaceIndex, thresholds: MatchThresholds) {
  return {
    async findPeople(gallery: GalleryRow, probe: Float32Array, k: number): Promise<Match[]> {
      const minSimilarity = thresholds.of(gallery.model_version, gallery.people);
      let rows = k;
      for (let round = 1; ; ) {
        const hits = await index.search(gallery, probe, { k: rows, minSimilarity });
        const { matches, gone } = await toPeople(gallery, hits);
        const isComplete = matches.length >= k || hits.length < rows;
        if (isComplete && (gone === 0 || round === MAX_ROUNDS)) return matches.slice(0, k);
        if (isComplete) {
          round += 1;
          const [current] = await store.listVersions([gallery.id]);
          gallery = current ?? gallery;
        } else {
          rows *= 4; // several hits are the same person
        }
      }
    },

    async findNamed(gallery: GalleryRow, probe: Float32Array, k: number, digest: Uint8Array): Promise<Match[]> {
      const near: Hit[] = [];
      const base = thresholds.of(gallery.model_version, 0);
      let people = 0;
      for (let after = ''; ; ) {
        const ids = await store.listByIdentifier(gallery.id, digest, after, NAMED_PAGE);
        people += ids.length;
        const hits = ids.length === 0 ? [] : await index.compare(gallery, probe, await store.listSeqsOfPeople(ids));
        near.push(...hits.filter(({ similarity }) => similarity >= base));
        if (ids.length < NAMED_PAGE) break;
        after = ids.at(-1)!;
        await nextTurn();
      }
      const minSimilarity = thresholds.of(gallery.model_version, people);
      const hits = near.filter(({ similarity }) => similarity >= minSimilarity);
      const { matches } = await toPeople(gallery, hits.sort(compareHits));
      return matches.slice(0, k);
    },
  };

  /** Matches each person by the most similar embedding, and counts the hits whose row is gone. */
  async function toPeople(gallery: GalleryRow, hits: readonly Hit[]) {
    const seqs = hits.map(({ key }) => key);
    const found = await store.findPeople(gallery.id, seqs);
    const bySeq = new Map(found.map((person) => [person.seq, person]));
    const best = new Map<string, Match>();
    for (const { key, similarity } of hits) {
      const person = bySeq.get(key);
      if (person && !best.has(person.personId)) best.set(person.personId, { ...person, similarity });
    }
    return { matches: [...best.values()], gone: hits.length - found.length };
  }
}
