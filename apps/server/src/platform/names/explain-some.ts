// Explains a few things out of many. Explaining one may cost much, and a client decides how many there are.

export interface Explained<Sentence> {
  told: Sentence[];
  hasMore: boolean;
}

/** Explains the first `most` things. The others are neither explained nor read, so an endless list costs no more. */
export function explainSome<Thing, Sentence>(
  things: Iterable<Thing>,
  most: number,
  explain: (thing: Thing) => Sentence,
): Explained<Sentence> {
  const told: Sentence[] = [];
  for (const thing of things) {
    if (told.length === most) return { told, hasMore: true };
    told.push(explain(thing));
  }
  return { told, hasMore: false };
}
