// Lists overlap: the same entity from several of them is shown once.

/** Best first, so that the one that stays is the best. */
export function dropTwins<Found>(found: readonly Found[], idOf: (one: Found) => string): Found[] {
  const seen = new Set<string>();
  return found.filter((one) => {
    const id = idOf(one);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
