// `npm run eval:documents`: reading of drawn documents by the page's reader: rates, times, signs,
// portraits.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CAMERAS } from '@limen/documents/testing/distort/index.ts';
import { provideRequirementOrExit } from '../../../scripts/bring-up.ts';
import { leaveWrongly, readArguments } from '../shared/read-arguments.ts';
import { cameraOf, countScreensNeeded, LOOKS } from './looks.ts';
import { listSitters } from './portraits.ts';
import { reportScreens, type SignRow } from './screen-tables.ts';
import {
  type PortraitRow,
  type ReadRow,
  reportBroken,
  reportPortraits,
  reportRates,
  reportSigns,
  reportTimes,
} from './tables.ts';
import type { Done, Job } from './thread.ts';
import { runJobs } from './threads.ts';
import { WAYS } from './ways.ts';

const { name, values, positionals } = readArguments({
  name: 'eval:documents',
  does: 'how well drawn documents are read: rates, times, signs of copies, portraits',
  takes: 'about ten minutes',
  operand: {
    name: 'FOLDER',
    does: 'portraits to print; NAME-a.jpg and NAME-b.jpg show the same person. Without one: ../shared/data/faces, if it is there',
  },
  options: {
    count: {
      type: 'string',
      value: 'N',
      default: '3',
      does: 'documents of each kind and each way to hold them; 0: only screens',
    },
    screens: {
      type: 'string',
      value: 'N',
      default: '12',
      does: 'documents on each kind of screen, and as many originals; 0: none',
    },
    cameras: {
      type: 'string',
      value: 'NAMES',
      does: `screens only before some of ${CAMERAS.join(', ')}; separated by commas`,
    },
    seed: { type: 'string', value: 'N', default: '1', does: 'draw other documents' },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
const screens = Number(values.screens);
const cameras: readonly string[] = values.cameras?.split(',') ?? CAMERAS;
if (!cameras.every((camera) => CAMERAS.some((known) => known === camera)))
  leaveWrongly(name, `--cameras may be some of ${CAMERAS.join(', ')}.`);
if (!Number.isInteger(count) || count < 0) leaveWrongly(name, '--count must be a whole number, at least 0.');
if (!Number.isInteger(screens) || screens < 0) leaveWrongly(name, '--screens must be a whole number, at least 0.');
if (!Number.isInteger(seed) || seed < 0) leaveWrongly(name, '--seed must be a whole number, at least 0.');
if (count === 0 && screens === 0) leaveWrongly(name, '--count and --screens are both 0: there is nothing to measure.');
const needed = countScreensNeeded(cameras, seed * 10_000);
if (values.cameras !== undefined && screens < needed)
  leaveWrongly(
    name,
    `With --seed ${seed}, --screens must be at least ${needed}: only then does every camera of ${cameras.join(', ')} see a document.`,
  );
const [named] = positionals;
if (named !== undefined && !existsSync(named)) leaveWrongly(name, `There is no folder ${named}.`);
provideRequirementOrExit('zoneFont', 'eval:documents');

const KINDS = ['passport', 'visa', 'card', 'card_td2', 'licence_us', 'licence_ca'] as const;
/** A wrong check digit takes more frames, because the reader gives it every chance. */
const BROKEN_WAYS = ['clean', 'typical'];
const PORTRAIT_WAYS = ['clean', 'typical', 'hard'];
const PORTRAITS_PER_COUNT = 4;

const started = performance.now();
const everyWay = WAYS.map(({ name }) => name);
const folder = named ?? join(import.meta.dirname, '../../../../shared/data/faces');
const sitters = count > 0 ? await listSitters(folder) : [];
const jobs: Job[] = [];
for (let number = 0; number < count; number += 1) {
  const at = seed * 10_000 + number * 10;
  for (const [index, kind] of KINDS.entries()) {
    const visa = kind === 'visa' && number % 2 === 1 ? { visa: 'MRV-B' as const } : {};
    jobs.push({ job: 'read', wish: { kind, ...visa }, seed: at + index, ways: everyWay });
  }
  for (const [index, kind] of (['passport', 'card'] as const).entries())
    jobs.push({ job: 'read', wish: { kind, break: 'check_digit' }, seed: at + 6 + index, ways: BROKEN_WAYS });
}
for (const [index, sitter] of sitters.slice(0, count * PORTRAITS_PER_COUNT).entries())
  jobs.push({ job: 'portrait', sitter, seed: seed * 10_000 + index, ways: PORTRAIT_WAYS });

for (let number = 0; number < screens; number += 1)
  for (const look of LOOKS)
    if (cameras.includes(cameraOf(seed * 10_000 + number)))
      jobs.push({ job: 'signs', look, seed: seed * 10_000 + number });

console.error(`${jobs.length} documents to draw and read`);
const results = await runJobs(jobs, (done) => {
  if (done % 10 === 0) console.error(`${done} of ${jobs.length} documents drawn and read`);
});

const rows: ReadRow[] = [];
const broken: ReadRow[] = [];
const portraits: PortraitRow[] = [];
const looks: SignRow[] = [];
for (const [index, job] of jobs.entries()) take(job, results[index]!);

const whole = rows.length + broken.length;
console.log(`${whole} readings of ${rows.length / WAYS.length} drawn documents, ${count} of each kind`);
if (count > 0) {
  reportRates(rows);
  reportTimes(rows);
  reportBroken(broken);
  reportSigns(rows);
  reportPortraits(portraits);
}
if (screens > 0) reportScreens(looks);
const wrong = [...rows, ...broken].filter(({ reading }) => reading.state === 'wrong');
console.log(`\nWrong dates of birth: ${wrong.length} of ${whole}.`);
for (const { kind, way, seed: from } of wrong) console.log(`- ${kind}, ${way}, seed ${from}`);
console.log(`Took ${((performance.now() - started) / 1000).toFixed(0)} s.`);
// Anything but zero is a defect.
process.exitCode = wrong.length > 0 ? 1 : 0;

function take(job: Job, done: Done): void {
  if (job.job === 'signs' && done.job === 'signs') looks.push({ ...done, ...job });
  if (job.job === 'portrait' && done.job === 'portrait') portraits.push({ sitter: job.sitter, ...done });
  if (job.job !== 'read' || done.job !== 'read') return;
  const list = job.wish.break ? broken : rows;
  for (const { way, reading } of done.readings) list.push({ kind: job.wish.kind, way, seed: job.seed, reading });
}
