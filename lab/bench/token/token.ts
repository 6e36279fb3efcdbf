// `npm run bench:token`: the face token compared with SEAL's product, on one core and one-to-many,
// in one run.
import { loadavg } from 'node:os';
import { openDevice } from '@limen/token/device';
import { makeKeyPair, openKey } from '@limen/token/keyholder';
import { BLOCK_BYTES, BLOCK_PEOPLE, BLOCK_ROW_BYTES, ROW_BYTES, SHAPE_BYTES, TOKEN_BYTES } from '@limen/token/shared';
import { encryptBody, MODEL_ID, type Parties, type Party } from '../../../packages/token/testing/parties.ts';
import { randomVector, vectorNear } from '../../../packages/token/testing/vectors.ts';
import { provideRequirement, sayLeftOut } from '../../../scripts/bring-up.ts';
import { aim, median, milliseconds, quantile } from '../shared/figures.ts';
import { readArguments } from '../shared/read-arguments.ts';
import { measureCore } from './core.ts';
import { createGallery } from './gallery.ts';
import { fillPacked, measurePackedCore, openPacked, searchPacked } from './packed.ts';
import { measurePage } from './page.ts';
import { openForSearch, openScorer, searchOften } from './search.ts';

/** Size, number of searches, and maximum time per search. */
const SIZES: [size: number, times: number, aimMs: number | undefined][] = [
  [1000, 30, undefined],
  [10_000, 15, 250],
  [100_000, 5, 2000],
];
/** In blocks of four. The largest needs four gigabytes and runs only on request. */
const PACKED_SIZES: [size: number, times: number, aimMs: number | undefined][] = [
  [1000, 30, undefined],
  [10_000, 30, 40],
  [100_000, 10, 250],
];
const MILLION: (typeof PACKED_SIZES)[number] = [1_000_000, 5, 2500];
const MIN_PER_SECOND = 30_000;
const MIN_PACKED_PER_SECOND = 250_000;
const MAX_LINK_BYTES = 2048;
const MAX_MEMORY_BYTES = 4096;
const MAX_PAGE_MS = 8;
const MAX_DECISION_MS = 5;
const ENCRYPTIONS = 200;

const { values: options } = readArguments({
  name: 'bench:token',
  does: 'encrypted faces: encryption, comparison beside SEAL’s own product, and search among up to 100,000, one by one and in blocks of four',
  takes: 'about a minute',
  options: {
    million: { type: 'boolean', does: 'also search among a million people in blocks, which takes 4.1 GB of memory' },
  },
});
const began = performance.now();
const { parties, secrets } = await open();
console.log(`token ${TOKEN_BYTES} bytes; a blinded row ${ROW_BYTES}, a shape ${SHAPE_BYTES}`);
measureEncryption();
await measureEncryptionInPage();
await measureOneCore();
const perCore = await measureSearches();
await measurePacked(perCore);
parties.device.close();
const [load] = loadavg();
console.log(
  `load of the machine at the end ${load!.toFixed(1)}: above 3 others were at work, and only processor time means much`,
);
console.log(`the run took ${((performance.now() - began) / 1000).toFixed(0)} s`);

async function open(): Promise<{ parties: Parties; secrets: Uint8Array[] }> {
  const make = async (fill: number): Promise<{ secret: Uint8Array; party: Party }> => {
    const { secret, publicKey } = await makeKeyPair();
    const keyId = Buffer.alloc(16, fill).toString('base64url');
    return { secret, party: { key: await openKey(secret), deviceKey: { publicKey, keyId } } };
  };
  const [enroll, challenge] = [await make(1), await make(2)];
  const roles = { device: await openDevice(), enrol: enroll.party, challenge: challenge.party };
  return { parties: roles, secrets: [enroll.secret, challenge.secret] };
}

function measureEncryption(): void {
  const times = Array.from({ length: ENCRYPTIONS }, () => {
    const vector = randomVector();
    const start = performance.now();
    encryptBody(parties.device, vector, parties.enrol);
    return performance.now() - start;
  });
  printTimes('encrypt in Node', times);
}

async function measureEncryptionInPage(): Promise<void> {
  const chromium = provideRequirement('chromium');
  if (!chromium) return console.log(sayLeftOut('encryption in a browser', 'chromium'));
  const { firstMs, encryptMs } = await measurePage(chromium, parties.challenge.deviceKey, MODEL_ID, ENCRYPTIONS);
  printTimes('encrypt in Chromium', encryptMs, aim(median(encryptMs) < MAX_PAGE_MS, `p50 under ${MAX_PAGE_MS} ms`));
  console.log(`  library loaded and first token ${milliseconds(firstMs)}`);
}

async function measureOneCore(): Promise<void> {
  const { device, enrol: enroll, challenge } = parties;
  const tokens = Array.from({ length: 16 }, () => encryptBody(device, randomVector(), enroll));
  const probe = encryptBody(device, randomVector(), challenge);
  const core = await measureCore(tokens, probe, { enrol: enroll.key, challenge: challenge.key });
  const { blindedMicros, unblindedMicros, sealMicros, scoreMicros, shapeMs, compareOneMs, decisionMs } = core;
  console.log('\none core, the quickest quarter of the runs');
  const line = (name: string, micros: number, note = '') => {
    const times = `${(sealMicros / micros).toFixed(2)} × SEAL's multiply`;
    console.log(
      `  ${name.padEnd(36)} ${micros.toFixed(1).padStart(6)} µs ${perSecond(micros).padStart(8)}/s  ${times}  ${note}`.trimEnd(),
    );
  };
  line("SEAL's multiply, not blinded", sealMicros);
  line('product of four terms, not blinded', unblindedMicros);
  const blindedAim = aim(1e6 / blindedMicros >= MIN_PER_SECOND, `${MIN_PER_SECOND}/s`);
  line('comparison, blinded by rounding', blindedMicros, blindedAim);
  line('scoring of a row', scoreMicros);
  line('comparison and scoring', blindedMicros + scoreMicros);
  console.log(
    `  shape of a body ${milliseconds(shapeMs)} of processor time, one comparison with unpacking ${milliseconds(compareOneMs)}`,
  );
  const decisionAim = aim(decisionMs < MAX_DECISION_MS, `under ${MAX_DECISION_MS} ms`);
  console.log(`  key-holder's decision (shape and score) ${milliseconds(decisionMs)}; ${decisionAim}`);
}

/** Comparisons per second and core in both roles, for the largest gallery. */
async function measureSearches(): Promise<number> {
  let perCore = 0;
  const { device, challenge } = parties;
  const gallery = createGallery(parties);
  const evaluator = openForSearch();
  const scorer = openScorer({ enrolSecret: secrets[0]!, challengeSecret: secrets[1]! });
  const probe = encryptBody(device, vectorNear(gallery.mate.vector, 0.8), challenge);
  console.log('\none to many: two evaluator threads and a key-holder thread');
  for (const [size, times, aimMs] of SIZES) {
    const arena = evaluator.createArena();
    const before = process.memoryUsage.rss();
    const { slots, mateSlot, microsEach } = gallery.fill(arena, size);
    const grown = (process.memoryUsage.rss() - before) / size;
    const parts = { evaluator, arena, slots, mateSlot, probe, scorer };
    await searchOften(parts, 2);
    const { wallMs, cpuMs, found } = await searchOften(parts, times);
    const cpu = Math.min(...cpuMs);
    perCore = (1000 * size) / cpu;
    const verdict = aimMs === undefined ? '' : aim(median(wallMs) < aimMs, `p50 under ${aimMs} ms`);
    console.log(
      `  1:${size}`.padEnd(12) +
        `p50 ${milliseconds(median(wallMs)).padStart(10)}  min ${milliseconds(Math.min(...wallMs)).padStart(10)}  ` +
        `CPU of both roles ${milliseconds(cpu).padStart(10)} (${perSecond((cpu * 1000) / size)}/s a core)  ` +
        `found ${found} of ${times}  ${verdict}`,
    );
    console.log(
      `    ${arena.bytes / size} bytes a token in the arena (the process grew by ${grown.toFixed(0)}), unpacked in ${microsEach.toFixed(0)} µs each`,
    );
    if (found !== times) process.exitCode = 1;
    arena.close();
  }
  await scorer.close();
  await evaluator.close();
  return perCore;
}

async function measurePacked(unpackedPerCore: number): Promise<void> {
  const packed = await openPacked(parties, 2);
  const { packServiceMs, packKeyHolderMs, foldServiceMs, foldKeyHolderMs, errorRms } = packed;
  console.log('\nfour people to a block');
  const link = BLOCK_ROW_BYTES / BLOCK_PEOPLE;
  const linkAim = aim(link <= MAX_LINK_BYTES, `at most ${MAX_LINK_BYTES} bytes`);
  console.log(`  a person: ${link} bytes to the key-holder (${linkAim}), ${BLOCK_BYTES / BLOCK_PEOPLE} at rest`);
  console.log(
    `  packing four: service ${milliseconds(packServiceMs)}, key-holder ${milliseconds(packKeyHolderMs)}; ` +
      `folding a probe: ${milliseconds(foldServiceMs)} and ${milliseconds(foldKeyHolderMs)}; errors of the scores ${errorRms.toExponential(1)}`,
  );
  const core = measurePackedCore(packed, parties);
  const both = core.evaluator + core.keyHolder;
  console.log(
    `  one core: comparison ${core.evaluator.toFixed(2)} µs a person, scoring ${core.keyHolder.toFixed(2)} µs; both ${perSecond(both)}/s; ` +
      aim(1e6 / both >= MIN_PACKED_PER_SECOND, `${MIN_PACKED_PER_SECOND}/s`),
  );
  const scorer = openScorer({ enrolSecret: secrets[0]!, challengeSecret: secrets[1]! });
  for (const [size, times, aimMs] of options.million ? [...PACKED_SIZES, MILLION] : PACKED_SIZES) {
    const gallery = fillPacked(packed, size);
    await searchPacked(packed, gallery, scorer, 2);
    const { wallMs, cpuMs, found, longestTurnMs } = await searchPacked(packed, gallery, scorer, times);
    const cpu = Math.min(...cpuMs);
    const perCore = (1000 * size) / cpu;
    const memory = gallery.arena.bytes / size;
    console.log(
      `  1:${size}`.padEnd(12) +
        `p50 ${milliseconds(median(wallMs)).padStart(10)}  min ${milliseconds(Math.min(...wallMs)).padStart(10)}  ` +
        `CPU of both roles ${milliseconds(cpu).padStart(10)} (${Math.round(perCore)}/s a core, ${(perCore / unpackedPerCore).toFixed(1)} × one by one)  ` +
        `found ${found} of ${times}  ${aimMs === undefined ? '' : aim(median(wallMs) < aimMs, `p50 under ${aimMs} ms`)}`,
    );
    console.log(
      `    ${memory} bytes a person in the arena, ${aim(memory <= MAX_MEMORY_BYTES, `at most ${MAX_MEMORY_BYTES}`)}; made ready in ${gallery.microsEach.toFixed(0)} µs each; longest turn of the event loop ${milliseconds(longestTurnMs)}`,
    );
    if (found !== times) process.exitCode = 1;
    gallery.arena.close();
  }
  await scorer.close();
  await packed.evaluator.close();
}

function printTimes(name: string, times: readonly number[], note = ''): void {
  const figures = `p50 ${milliseconds(median(times))}  min ${milliseconds(Math.min(...times))}  p95 ${milliseconds(quantile(times, 0.95))}`;
  console.log(`${name.padEnd(22)} ${figures}  ${note}`.trimEnd());
}

function perSecond(micros: number): string {
  return Math.round(1e6 / micros).toString();
}
