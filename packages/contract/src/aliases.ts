// Alternative spellings of a field. One API area uses `redirectUrl`, the other `redirectURL`; both
// accept either.

/** A symbol, so validation and the reference show the field under its primary name only. */
const ALIAS = Symbol('alternative spelling of a field');

/** Returns schema options for a second accepted name. Mention it in the description. */
export function allowAlias(alias: string): object {
  return { [ALIAS]: alias };
}

export function findAlias(schema: object): string | undefined {
  return (schema as { [ALIAS]?: string })[ALIAS];
}
