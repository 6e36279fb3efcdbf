// Other spellings of a field: one area says `redirectUrl`, another `redirectURL`, and each reads both.

/** Invisible to JSON: validation and the reference know the field under its own name only. */
const ALIAS = Symbol('the other spelling of a field');

/** Schema options of a field that is also read under another name. The description should name it too. */
export function alsoReadAs(alias: string): object {
  return { [ALIAS]: alias };
}

export function findAlias(schema: object): string | undefined {
  return (schema as { [ALIAS]?: string })[ALIAS];
}
