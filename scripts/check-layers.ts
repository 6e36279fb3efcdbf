// `npm run check`: imports and SQL keep to the rooms that the house has, no import leads back to where it came from, and what the
// plan defines is defined once.
import { readFileSync } from 'node:fs';
import { findCopies } from './layers/find-copies.ts';
import { findJoinedFiles, findJoinedFolders, findRoomless, findStrayImports } from './layers/find-faults.ts';
import { findForeignTables } from './layers/find-foreign-tables.ts';
import { findImports, listSources } from './layers/read-imports.ts';

const FOLDERS = ['apps', 'packages', 'testing', 'scripts', 'lab', 'tests', 'tools'];
/** Tests say what they expect in words of their own. */
const MAY_REPEAT = /\.test\.tsx?$|(^|\/)testing\/|^(tests|lab)\/|^packages\/plan\//;

const sources = listSources('.', FOLDERS).map((file) => ({ file, source: readFileSync(file, 'utf8') }));
const imports = sources.flatMap(({ file, source }) => findImports('.', file, source));
const faults = [
  ...findRoomless(sources.map(({ file }) => file)),
  ...findStrayImports(imports),
  ...findJoinedFiles(imports),
  ...findJoinedFolders(imports),
  ...findForeignTables(sources),
  ...sources.flatMap(({ file, source }) => (MAY_REPEAT.test(file) ? [] : findCopies(file, source))),
];
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
