// The one element around all records of an XML list: whether it is there, what it says, and whether the file goes on to its end.
import { type LoadReport, noteProblem, watchEnd } from './load-report.ts';
import type { Chunks } from './read-blocks.ts';

/** Where the end of the root must be: behind it there is space, or a comment. */
const TAIL_BYTES = 4 * 1024;

export interface WatchedRoot {
  chunks: Chunks;
  /** For readXmlRecords. */
  readHead(head: string): void;
  /** To be called when all was read. */
  finish(): void;
}

/** `readTag` gets the opening tag. */
export function watchRoot(main: Chunks, root: string, report: LoadReport, readTag: (tag: string) => void): WatchedRoot {
  const source = watchEnd(main, TAIL_BYTES);
  const end = new RegExp(`</${root}\\s*>`);
  let hasRoot = false;
  return {
    chunks: source.chunks,
    readHead(head) {
      const tag = new RegExp(`<${root}\\b[^>]*>`).exec(head)?.[0];
      if (tag === undefined) noteProblem(report, 'header', `The file does not start with a ${root} element.`);
      else readTag(tag);
      hasRoot = tag !== undefined;
    },
    finish() {
      if (hasRoot && !end.test(source.tail().toString('latin1'))) report.truncated = true;
    },
  };
}
