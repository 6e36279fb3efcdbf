// `npm run check`: imports lead down and never in a circle, SQL only names tables of its own room
// or of lower ones, type names are unique in an app, and the plan's lists are defined once.
import { readFileSync } from 'node:fs';
import { findCopies } from './layers/find-copies.ts';
import { findDoubles } from './layers/find-doubles.ts';
import { findJoinedFiles, findJoinedFolders, findRoomless, findStrayImports } from './layers/find-faults.ts';
import { findForeignTables } from './layers/find-foreign-tables.ts';
import { findImports, listSources } from './layers/read-imports.ts';

const FOLDERS = ['apps', 'packages', 'testing', 'scripts', 'lab', 'tests', 'tools'];
/** Tests define expectations independently. */
const MAY_REPEAT = /\.test\.tsx?$|(^|\/)testing\/|^(tests|lab)\/|^packages\/plan\//;

const TEST = /\.test\.tsx?$|(^|\/)(testing|tests)\//;

const sources = listSources('.', FOLDERS).map((file) => ({ file, source: readFileSync(file, 'utf8') }));
const imports = sources.flatMap(({ file, source }) => findImports('.', file, source));
const strays = findStrayImports(imports);
const faults = [
  ...findRoomless(sources.map(({ file }) => file)),
  ...strays,
  ...findJoinedFiles(imports),
  // A stray import also closes circles of folders, whose list of imports would bury it.
  ...(strays.length === 0 ? findJoinedFolders(imports) : []),
  ...findForeignTables(sources),
  ...findDoubles(sources.filter(({ file }) => /^(apps|packages|tools)\//.test(file) && !TEST.test(file))),
  ...sources.flatMap(({ file, source }) => (MAY_REPEAT.test(file) ? [] : findCopies(file, source))),
];
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
