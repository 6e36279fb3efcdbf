// Explains a few things out of many. Explaining one may cost much, and a client decides how many there are.

export interface Explained<Sentence> {
  explained: Sentence[];
  hasMore: boolean;
}

/** Explains the first `most` things. The others are neither explained nor read, so an endless list costs no more. */
export function explainSome<Thing, Sentence>(
  things: Iterable<Thing>,
  most: number,
  explain: (thing: Thing) => Sentence,
): Explained<Sentence> {
  const explained: Sentence[] = [];
  for (const thing of things) {
    if (explained.length === most) return { explained, hasMore: true };
    explained.push(explain(thing));
  }
  return { explained, hasMore: false };
}
