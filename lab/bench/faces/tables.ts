// Tables of eval:faces for unmodified portraits: detection, quality, recognition, age, glasses.

import { QUALITY_PROBLEMS } from '../../../apps/launch/src/face/quality.ts';
import { compareEmbeddings } from '../../../apps/launch/src/face/read/embed.ts';
import { GLASSES_THRESHOLD } from '../../../apps/launch/src/face/read/glasses.ts';
import { areaUnderCurve, describeRate, printTable, quantileOf } from '../shared/rates.ts';
import type { Portrait } from './read.ts';

/** An age check derives its thresholds from these. */
export const AGE_THRESHOLDS = [18, 21, 23, 25];

export function reportDetection(portraits: readonly Portrait[]): void {
  const found = portraits.filter(({ report }) => report.face);
  const rows = QUALITY_PROBLEMS.map((problem) => {
    const names = portraits.filter(({ report }) => report.problems.includes(problem));
    return [problem, String(names.length)];
  }).filter(([, count]) => count !== '0');
  printTable(
    'Faces found, and what the guidance would say',
    ['', 'portraits'],
    [
      ['a face is found', describeRate(found.length, portraits.length)],
      ['exactly one person', describeRate(found.filter(({ report }) => report.people === 1).length, portraits.length)],
      ['nothing to put right', String(portraits.filter(({ report }) => report.problems.length === 0).length)],
      ...rows,
    ],
  );
}

export function reportRecognition(portraits: readonly Portrait[], thresholds: ReadonlyMap<string, number>): void {
  const read = portraits.flatMap(({ person, examination }) =>
    examination?.embedding ? [{ person, embedding: examination.embedding }] : [],
  );
  const [genuine, impostors]: [number[], number[]] = [[], []];
  for (const [i, one] of read.entries())
    for (const other of read.slice(i + 1))
      (one.person === other.person ? genuine : impostors).push(compareEmbeddings(one.embedding, other.embedding));
  const spread = (values: readonly number[]) => [0, 0.05, 0.5, 0.95, 1].map((q) => quantileOf(values, q).toFixed(3));
  printTable(
    'Similarity of two portraits (cosine)',
    ['', 'pairs', 'lowest', '5 %', 'median', '95 %', 'highest'],
    [
      ['the same person', String(genuine.length), ...spread(genuine)],
      ['two people', String(impostors.length), ...spread(impostors)],
    ],
  );
  printTable(
    'At the shipped thresholds (95 % intervals)',
    ['threshold', 'two people taken for one (FMR)', 'one person not recognized (FNMR)'],
    [...thresholds].map(([name, least]) => [
      `${least} (${name})`,
      describeRate(impostors.filter((similarity) => similarity >= least).length, impostors.length),
      describeRate(genuine.filter((similarity) => similarity < least).length, genuine.length),
    ]),
  );
  const people = new Set(read.map(({ person }) => person)).size;
  console.log(`\nPairs share their ${people} people, so that the intervals are narrower than they should be.`);
}

export function reportAge(portraits: readonly Portrait[], known: ReadonlyMap<string, number>): void {
  const read = portraits.flatMap(({ name, examination }) => (examination?.age ? [{ name, ...examination.age }] : []));
  const spread = (values: readonly number[]) => [0, 0.05, 0.5, 0.95, 1].map((q) => quantileOf(values, q).toFixed(1));
  printTable(
    'Age in years',
    ['', 'lowest', '5 %', 'median', '95 %', 'highest'],
    [
      ['estimate', ...spread(read.map(({ age }) => age))],
      ['lower bound', ...spread(read.map(({ lowerBound }) => lowerBound))],
    ],
  );
  printTable(
    'Asked for a document, by threshold',
    ['lower bound below', 'portraits'],
    AGE_THRESHOLDS.map((least) => [
      String(least),
      describeRate(read.filter(({ lowerBound }) => Math.floor(lowerBound) < least).length, read.length),
    ]),
  );
  const judged = read.flatMap((face) => {
    const truth = known.get(face.name);
    return truth === undefined ? [] : [{ ...face, truth }];
  });
  if (judged.length === 0) {
    console.log(
      '\nNo birth years and photo years were given (--births FILE): errors of the estimate are not measured.',
    );
    return;
  }
  const mean = (values: readonly number[]) => (values.reduce((a, b) => a + b, 0) / values.length).toFixed(1);
  printTable(
    'Against known ages',
    ['portraits', 'mean error', 'mean of estimate − age', 'lower bound above the age'],
    [
      [
        String(judged.length),
        mean(judged.map(({ age, truth }) => Math.abs(age - truth))),
        mean(judged.map(({ age, truth }) => age - truth)),
        describeRate(judged.filter(({ lowerBound, truth }) => lowerBound > truth + 1).length, judged.length),
      ],
    ],
  );
}

export function reportGlasses(portraits: readonly Portrait[], wearers: ReadonlySet<string> | null): void {
  const read = portraits.flatMap(({ name, report }) => (report.face ? [{ name, value: report.face.glasses }] : []));
  const advised = portraits.filter(({ report }) => report.advice === 'glasses').length;
  if (!wearers) {
    console.log(
      `\nGlasses: ${advised} of ${portraits.length} would be asked. Who wears some was not given (--glasses FILE).`,
    );
    return;
  }
  const [worn, bare] = [true, false].map((does) =>
    read.filter(({ name }) => wearers.has(name) === does).map(({ value }) => value),
  ) as [number[], number[]];
  const seen = (values: readonly number[]) => values.filter((value) => value >= GLASSES_THRESHOLD).length;
  printTable(
    `Glasses, noticed at ${GLASSES_THRESHOLD}`,
    ['', 'noticed'],
    [
      ['worn', describeRate(seen(worn), worn.length)],
      ['not worn', describeRate(seen(bare), bare.length)],
      ['AUC', areaUnderCurve(worn, bare).toFixed(3)],
    ],
  );
}
