// `npm run eval:attacks`: acceptance and refusal by kind of attack, following ISO/IEC 30107-3, in
// simulated rooms and partly on the real page.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { SKIN_TONES } from '@limen/light/testing/head.ts';
import { SPECIES, type Species } from '@limen/light/testing/simulate.ts';
import { provideRequirement, sayLeftOut } from '../../../scripts/bring-up.ts';
import { leaveWrongly, readArguments } from '../shared/read-arguments.ts';
import { playInBrowser } from './in-browser.ts';
import { drawSittings, type Sitting, type Verdict } from './sittings.ts';
import { reportAttacks, reportPeople } from './tables.ts';

const { name, values } = readArguments({
  name: 'eval:attacks',
  does: 'what the light challenge makes of people and of fakes in simulated rooms of 20 to 1,000 lux, and what the real page makes of some kinds of fakes in Chromium',
  takes: 'about an hour',
  options: {
    runs: {
      type: 'string',
      value: 'N',
      default: '120',
      does: 'simulated rooms, with a sitting of each kind, and of people with each skin, in every one',
    },
    browser: { type: 'string', value: 'N', default: '3', does: 'checks of each kind in Chromium; 0 leaves them out' },
    only: {
      type: 'string',
      value: 'KINDS',
      does: `some of ${SPECIES.join(', ')}; separated by commas; people are always among them, and in Chromium all kinds are played`,
    },
  },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) leaveWrongly(name, '--runs must be a whole number of at least 1.');
const checks = Number(values.browser);
if (!Number.isInteger(checks) || checks < 0) leaveWrongly(name, '--browser must be a whole number.');
const wanted = values.only?.split(',') ?? [...SPECIES];
const unknown = wanted.filter((kind) => !SPECIES.includes(kind as Species));
if (unknown.length > 0) leaveWrongly(name, `There is no kind ${unknown.join(', ')}; there are ${SPECIES.join(', ')}.`);

/** Always includes people: a room's conditions apply to them too. */
const kinds: Species[] = [...new Set<Species>(['person', ...(wanted as Species[])])];
const sittings = kinds.flatMap((species) =>
  Array.from({ length: runs }, (_, seed) => drawSittings(species, seed)).flat(),
);
const verdicts = await judgeAll(sittings);
reportAttacks(verdicts);
reportPeople(verdicts, SKIN_TONES.length);
if (checks > 0) {
  if (provideRequirement('chromium')) await playInBrowser(checks);
  else console.log(`\n${sayLeftOut('The checks in the browser', 'chromium')}`);
}

/** Runs on all cores. Each takes the next job when free. */
async function judgeAll(sittings: readonly Sitting[]): Promise<Verdict[]> {
  const left = sittings.values();
  const found: Verdict[] = [];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const worker = new Worker(new URL('./judge-worker.ts', import.meta.url));
      try {
        for (const sitting of left) {
          const verdict = await new Promise<Verdict>((resolve, reject) => {
            worker.once('message', resolve);
            worker.once('error', reject);
            worker.postMessage(sitting);
          });
          worker.removeAllListeners('error');
          found.push(verdict);
          if (found.length % 50 === 0) console.error(`${found.length} of ${sittings.length} sittings`);
        }
      } finally {
        await worker.terminate();
      }
    }),
  );
  return found;
}
