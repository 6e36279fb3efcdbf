// Keeps the best few entities of a search, each with its best name.

export interface Hit {
  entity: number;
  /** The name that fits best. */
  name: number;
  score: number;
}

export type TopHits = ReturnType<typeof createTopHits>;

export function createTopHits(limit: number) {
  const hits: Hit[] = [];
  return {
    /** Best first. */
    hits,
    /** What scores less is not kept. */
    least: 0,
    add(entity: number, name: number, score: number): void {
      const same = hits.findIndex((hit) => hit.entity === entity);
      if (same >= 0) {
        const known = hits[same]!;
        // Of names that fit as well as each other the first that is listed is told, in whatever order they are seen.
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

/** Equal scores stay in the order of the list, so that the same file always gets the same answer. */
function isBetter(entity: number, score: number, other: Hit): boolean {
  return score > other.score || (score === other.score && entity < other.entity);
}
