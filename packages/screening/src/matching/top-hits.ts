// Keeps the best entities of a search, each with its best name.

export interface Hit {
  entity: number;
  /** Best-matching name. */
  name: number;
  score: number;
}

export type TopHits = ReturnType<typeof createTopHits>;

export function createTopHits(limit: number) {
  const hits: Hit[] = [];
  return {
    /** Best first. */
    hits,
    /** Minimum score to be kept. */
    least: 0,
    add(entity: number, name: number, score: number): void {
      const same = hits.findIndex((hit) => hit.entity === entity);
      if (same >= 0) {
        const known = hits[same]!;
        // Reports the first listed of equally good names, in any order of visits.
        if (known.score === score && name < known.name) known.name = name;
        if (known.score >= score) return;
        hits.splice(same, 1);
      } else if (hits.length === limit && !isBetter(entity, score, hits[limit - 1]!)) {
        return;
      }
      let at = hits.length;
      while (at > 0 && isBetter(entity, score, hits[at - 1]!)) at -= 1;
      hits.splice(at, 0, { entity, name, score });
      if (hits.length > limit) hits.pop();
      if (hits.length === limit) this.least = hits[limit - 1]!.score;
    },
  };
}

/** Equal scores keep the order of the list, so that a file always gets the same answer. */
function isBetter(entity: number, score: number, hit: Hit): boolean {
  return score > hit.score || (score === hit.score && entity < hit.entity);
}
