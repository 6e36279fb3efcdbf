// Several values in one cell.

/** By either mark: for what has neither within a value, such as a number or a country. */
export function splitByEither(cell: string): string[] {
  return withoutEmpty(cell.split(/[|;]/));
}

/** By `|`; by `;` only where there is none, so that a value may have a semicolon in it. */
export function splitByOne(cell: string): string[] {
  return withoutEmpty(cell.split(cell.includes('|') ? '|' : ';'));
}

function withoutEmpty(values: readonly string[]): string[] {
  return values.map((value) => value.trim()).filter((value) => value !== '');
}
