// Generated parts of documents that are written by hand otherwise.

/** Between the marks that name it. */
export function insertInto(document: string, name: string, content: string): string {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [before, rest] = document.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`A document lacks the marks of ${name}.`);
  return `${before}${start}\n\n${content}\n${end}${after}`;
}
