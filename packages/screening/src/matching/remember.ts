// Caches results per text, because names repeat within a file and family names across files.

/** Maximum number of cached results per index and thread. */
const MAX_REMEMBERED = 20_000;

/** `find` must not return undefined. */
export function cacheByText<Result>(find: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = find(text);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(text, found);
    return found;
  };
}
