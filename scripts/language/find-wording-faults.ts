// Wording that the writing guide in docs/contributing.md rejects.

/** Each with what to write. */
const REJECTED: [RegExp, string][] = [
  [/\b(whoever|whomever|whosoever|whatever)\b/i, 'name the person or the thing'],
  [/\b(nobody|somebody)\b/i, '"no one" and "someone" for people, "no row" and "a process" for the rest'],
  [/\b(told|tells)\b/i, '"notify", "report", "return" or "show"'],
  [/(?<!--)\b(anew)\b/i, '"again"'],
  [/\b(meanwhile)\b/i, '"in the meantime", or leave it out'],
  [/\b(likewise|thereby|herein)\b/i, 'a plain sentence'],
  [/\b(for ever)\b/i, '"forever" or "permanently"'],
  [/\b(as good as|is there for|stands for itself)\b/i, 'what is meant'],
];
const OPENER = /^(What|Whose|Whom|Who|Of|By which|That of|The same|Those|One that|As it|Whether it|Told|Where)\b/;

export function* findWordingFaults(file: string, text: string): Generator<{ line: number; fault: string }> {
  // Tests quote data and screens.
  const readLine = file.endsWith('.md') ? readMarkdown : file.includes('.test.') ? readComment : readCode;
  for (const [index, line] of text.split('\n').entries())
    for (const sentence of readLine(line)) {
      for (const [pattern, advice] of REJECTED) {
        const word = pattern.exec(sentence)?.[0];
        if (word) yield { line: index + 1, fault: `"${word}": write ${advice}` };
      }
      const opener = OPENER.exec(sentence)?.[0];
      if (opener && !sentence.endsWith('?')) yield { line: index + 1, fault: `"${opener}": begin with a noun` };
    }
}

function readMarkdown(line: string): string[] {
  return /^(```|\||#|\s*[-*]?\s*`)/.test(line) ? [] : splitSentences(line);
}

/** Returns the sentences of a line's comment and of its string literals of three words or more. */
function readCode(line: string): string[] {
  const literals = [...line.matchAll(/['"`]([A-Z][^'"`]*\s[^'"`]*\s[^'"`]*)['"`]/g)].map(([, literal]) => literal!);
  return [...readComment(line), ...literals.flatMap(splitSentences)];
}

function readComment(line: string): string[] {
  return splitSentences(/(?:^|\s)(?:\/\/|\/\*\*?|\*)\s?(.*)$/.exec(line)?.[1] ?? '');
}

function splitSentences(text: string): string[] {
  return text
    .replaceAll(/`[^`]*`|\*\/$/g, '')
    .split(/(?<=[.!?:;])\s+/)
    .map((sentence) => sentence.trim());
}
