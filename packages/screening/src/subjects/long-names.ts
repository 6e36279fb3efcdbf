// A name that may be a person's or an organisation's is read as both, and each takes another number of parts: said in one sentence.

const TOO_LONG = /^The name has more than (\d+) parts; the first \1 were screened\.$/;

/** What else was to be told stays as it is. Of people fewer parts are read than of organisations. */
export function tellLongNames(warnings: readonly string[]): string[] {
  const limits = new Set(warnings.flatMap((warning) => TOO_LONG.exec(warning)?.[1] ?? []).map(Number));
  if (limits.size < 2) return [...warnings];
  const [fewer, more] = [Math.min(...limits), Math.max(...limits)];
  const sentence = `The name has more than ${more} parts; read as a person's the first ${fewer} were screened, and as an organisation's the first ${more}.`;
  return [sentence, ...warnings.filter((warning) => !TOO_LONG.test(warning))];
}
