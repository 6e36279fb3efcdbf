// The order in which cases were last listed, so that one can go from case to case without the list.
let order: readonly string[] = [];

export function rememberOrder(ids: readonly string[]): void {
  order = ids;
}

/** Undefined at either end, and for a case that was not in the list. */
export function neighbourOf(id: string, by: 1 | -1): string | undefined {
  const at = order.indexOf(id);
  return at === -1 ? undefined : order[at + by];
}
