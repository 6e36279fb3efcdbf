// Said by work on rows that somebody else has changed first.

/** What was read does not hold any more. Whoever catches it reads and decides again, or gives up. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}
