// Reads numbers in a query, which are plain digits. Other notations, such as 0x10, 1e3, +5 or a leading space, are probably mistakes.

/** Longest integer where the schema names no larger maximum. */
const INTEGER_DIGITS = 10;

/** Returns undefined unless the text is `0` or digits without a leading zero. */
export function readPlainInteger(text: string, maximum = 0): number | undefined {
  const digits = Math.max(INTEGER_DIGITS, String(maximum).length);
  return /^(0|[1-9][0-9]*)$/.test(text) && text.length <= digits ? Number(text) : undefined;
}

/** Returns undefined unless the text is digits with at most one point, such as `1`, `.95` or `1.0`. */
export function readPlainDecimal(text: string): number | undefined {
  return /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : undefined;
}
