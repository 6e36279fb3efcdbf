// Which text both databases keep as it is.

/** Why it cannot be stored, or undefined when it can. Half of a surrogate pair would come back as another character. */
export function findTextProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL (U+0000)';
  if (!text.isWellFormed()) return 'must not contain a lone surrogate; it is not a Unicode character';
  return undefined;
}
