// From the nearest embeddings to people: one entry per person, checked against the database, at or above the threshold.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareHits, type Hit } from '@limen/gallery';
import type { MatchThresholds } from '../../models/match-threshold.ts';
import type { GalleryRow } from '../store/galleries.ts';
import type { PeopleStore, PersonOfFace } from '../store/people.ts';
import type { FaceIndex } from './face-index.ts';

export interface Match extends PersonOfFace {
  similarity: number;
}

/** People compared at a time when they are looked up by name: a few milliseconds. */
const NAMED_PAGE = 200;
/** A hit without its row was deleted just now; looked again this often before it is simply left out. */
const MAX_ROUNDS = 3;

interface SearchedPeople {
  store: PeopleStore;
  index: FaceIndex;
  thresholds: MatchThresholds;
}

export function createPeopleSearch({ store, index, thresholds }: SearchedPeople) {
  const search = {
    /** The best match of a gallery, if anybody matches. */
    async findNearest(gallery: GalleryRow, probe: Float32Array): Promise<Match | undefined> {
      return (await search.findPeople(gallery, probe, 1))[0];
    },

    /** The best `k` people of a gallery. */
    async findPeople(gallery: GalleryRow, probe: Float32Array, k: number): Promise<Match[]> {
      const minSimilarity = thresholds.of(gallery.model_version, gallery.people);
      let rows = k;
      for (let round = 1; ; ) {
        const hits = await index.search(gallery, probe, { k: rows, minSimilarity });
        const { matches, gone } = await toPeople(gallery, hits);
        const complete = matches.length >= k || hits.length < rows;
        if (complete && (gone === 0 || round === MAX_ROUNDS)) return matches.slice(0, k);
        if (complete) {
          round += 1;
          const [current] = await store.listVersions([gallery.id]);
          gallery = current ?? gallery;
        } else {
          rows *= 4; // several hits are one person: look further down
        }
      }
    },

    /** The same among those enrolled under one name. */
    async findNamed(
      gallery: GalleryRow,
      probe: Float32Array,
      k: number,
      identifierDigest: Uint8Array,
    ): Promise<Match[]> {
      const near: Hit[] = [];
      const base = thresholds.of(gallery.model_version, 0);
      let people = 0;
      for (let after = ''; ; ) {
        const ids = await store.listByIdentifier(gallery.id, identifierDigest, after, NAMED_PAGE);
        people += ids.length;
        const hits = ids.length === 0 ? [] : await index.compare(gallery, probe, await store.listSeqsOfPeople(ids));
        near.push(...hits.filter(({ similarity }) => similarity >= base));
        if (ids.length < NAMED_PAGE) break;
        after = ids.at(-1)!;
        await nextTurn();
      }
      const least = thresholds.of(gallery.model_version, people);
      const hits = near.filter(({ similarity }) => similarity >= least);
      const { matches } = await toPeople(gallery, hits.sort(compareHits));
      return matches.slice(0, k);
    },
  };
  return search;

  /** One match per person, by their most similar embedding; matches whose row is gone are counted. */
  async function toPeople(gallery: GalleryRow, hits: readonly Hit[]): Promise<{ matches: Match[]; gone: number }> {
    const found = await store.findPeople(
      gallery.id,
      hits.map(({ key }) => key),
    );
    const bySeq = new Map(found.map((person) => [person.seq, person]));
    const best = new Map<string, Match>();
    for (const { key, similarity } of hits) {
      const person = bySeq.get(key);
      if (person && !best.has(person.personId)) best.set(person.personId, { ...person, similarity });
    }
    return { matches: [...best.values()], gone: hits.length - found.length };
  }
}
