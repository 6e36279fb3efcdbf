// Finds server files that name a table of a higher room. A file may name the tables whose
// declaration it may import.
import { findStrayImports } from './find-faults.ts';

interface Source {
  file: string;
  source: string;
}

const DECLARATION = /^apps\/server\/src\/.*\btables\.ts$/;
/** Migrations create the tables of all rooms. The key-holder has a separate database. */
const ELSEWHERE = /\.test\.ts$|\/testing\/|\/database\/migrations\/|\/keyholder\/(audit|backup|store)\//;
const DECLARED = /^ {2}(\w+): defineTable\(/gm;
/** Tables in Kysely calls, in row types and in row seals. */
const CALLED =
  /(?:\b(?:\w+From|\w+Into|updateTable|\w+Join|using|table)\(\[?\s*|\bSchema(?:\[|,\s*)|\bcreateRowSeal(?:<[^(]*>)?\([^,]*,\s*)'(\w+)/g;
/** Calls with a variable table, for which every quoted name of the file counts. */
const VARIABLE = /\b(?:\w+From|\w+Into|updateTable|sql\.(?:table|ref|id))\(\w+\)/;
const QUOTED = /'(\w+)'/g;
/** String literals without SQL: messages contain words such as "from people". */
const MESSAGE = /'(?!\s*(?:select|insert|update|delete|with)\s)(?:[^'\\\n]|\\.)*'/gi;
/** Tables in SQL. */
const WRITTEN = /\b(?:from|join|into|update|table)\s+"?(\w+)/gi;

/** Returns a sentence for each table that a file names but does not own and may not reach. */
export function findForeignTables(sources: readonly Source[]): string[] {
  const owners = new Map(
    sources
      .filter(({ file }) => DECLARATION.test(file))
      .flatMap(({ file, source }) => [...source.matchAll(DECLARED)].map(([, table]) => [table!, file] as const)),
  );
  return sources
    .filter(({ file }) => file.startsWith('apps/server/src/') && !ELSEWHERE.test(file))
    .flatMap((source) => findForeignNames(source, owners));
}

function findForeignNames({ file, source }: Source, owners: ReadonlyMap<string, string>): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, blank);
  const called = [...code.matchAll(CALLED), ...(VARIABLE.test(code) ? code.matchAll(QUOTED) : [])];
  const written = code.replace(MESSAGE, blank).matchAll(WRITTEN);
  const faults = [...called, ...written].flatMap(({ 1: table = '', index }) => {
    const to = owners.get(table);
    const line = code.slice(0, index).split('\n').length;
    const isForeign = to && findStrayImports([{ from: file, to, isTypeOnly: true, line }]).length > 0;
    return isForeign
      ? [
          `${file}:${line} names the table ${table}\n  ${to} declares it, and the room cannot reach that: pass the rows in.`,
        ]
      : [];
  });
  return [...new Set(faults)];
}

/** Keeps positions and lines. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
