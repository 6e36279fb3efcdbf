// Finds text that a database would not store unchanged.

/** Returns the problem, or undefined if there is none. Half of a surrogate pair would come back as another character. */
export function findTextProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL (U+0000)';
  if (!text.isWellFormed()) return 'must not contain a lone surrogate; it is not a Unicode character';
  return undefined;
}
