// Order of the last listed cases, to move between cases without the list.
let order: readonly string[] = [];

export function rememberOrder(ids: readonly string[]): void {
  order = ids;
}

/** Returns undefined at either end, and for a case that was not listed. */
export function neighborOf(id: string, by: 1 | -1): string | undefined {
  const at = order.indexOf(id);
  return at === -1 ? undefined : order[at + by];
}
