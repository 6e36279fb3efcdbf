// Thrown by work on rows that somebody else has changed first.

/** What was read is no longer true. Whoever catches this reads and decides again, or gives up. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}
