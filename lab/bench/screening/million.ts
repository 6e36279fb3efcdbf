// A process that grows the list to a million entities, builds the index, screens a sample, and
// reports to its parent.
import { makeCases } from './cases.ts';
import { buildIndex, limen, mix, readList } from './engine.ts';
import { growList } from './growth.ts';
import { judge } from './quality.ts';

const ROWS = 6_000;
const WARM_ROWS = 500;

export interface MillionFigures {
  index: { entityCount: number; nameCount: number; tokenCount: number; bytes: number };
  seconds: number;
  peakBytes: number;
  rowsPerSecond: number;
}

const [file = '', size = ''] = process.argv.slice(2);
const list = await readList(file);
const rows = mix(makeCases(list, 1, { perDistortion: 400, innocents: 20_000, hardNegatives: 4_000 })).slice(0, ROWS);
const from = performance.now();
const index = await buildIndex(growList(list, Number(size)));
const seconds = (performance.now() - from) / 1000;
const screen = limen(index, String);
judge(screen, rows.slice(0, WARM_ROWS));
const { rowsPerSecond } = judge(screen, rows);
const { entityCount, nameCount, tokenCount, bytes } = index;
const figures: MillionFigures = {
  index: { entityCount, nameCount, tokenCount, bytes },
  ...{ seconds, peakBytes: process.resourceUsage().maxRSS * 1024, rowsPerSecond },
};
process.send!(figures);
process.disconnect();
