// `npm run eval:faces`: face detection, recognition and age on portraits that are not part of the
// project.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadManifest, MODEL_ROLES } from '@limen/face-models';
import { AGE_BOUND, type AgeBound } from '@limen/plan';
import { openModels } from '../../../apps/launch/testing/models.ts';
import { leaveWrongly, readArguments } from '../shared/read-arguments.ts';
import { reportFile, reportKnownAges } from './known-ages.ts';
import { parseKnownPeople } from './known-people.ts';
import { reportLiveness } from './liveness.ts';
import { reportOnePerson } from './one-person.ts';
import { listPortraits, type Portrait, portraitName, readKnownAges, readNames, readPortrait } from './read.ts';
import { reportAge, reportDetection, reportGlasses, reportRecognition } from './tables.ts';

const { name, values, positionals } = readArguments({
  name: 'eval:faces',
  does: 'how well the models find, recognize and age faces, and tell live ones from pictures, on portraits of your own',
  takes: 'about ten minutes for 64 portraits',
  operand: {
    name: 'FOLDER',
    does: 'portraits, *.jpg or *.jpeg; ID-a.jpg and ID-b.jpg show the same person. Without one: ../shared/data/faces',
  },
  options: {
    births: {
      type: 'string',
      value: 'FILE',
      does: 'lines such as 0017,1984-05-17,2019 (picture, birth date or year, year of the photo): adds the errors of the estimated age',
    },
    ages: {
      type: 'string',
      value: 'FILE',
      does: 'lines such as 0017,34,f (picture with or without .jpg, age in years, and f, m or nothing): prints only whom the age rule lets in and sends on, for calibrating',
    },
    bound: {
      type: 'string',
      value: 'SPREAD,MIRROR,YEARS',
      does: `with --ages: what is taken off an age, as the settings AGE_BOUND_* have it (default ${Object.values(AGE_BOUND).join()})`,
    },
    glasses: { type: 'string', value: 'FILE', does: 'names of the people who wear glasses, one a line' },
  },
});
const [named] = positionals;
if (named !== undefined && !existsSync(named)) leaveWrongly(name, `There is no folder ${named}.`);
const folder = named ?? join(import.meta.dirname, '../../../../shared/data/faces');
const files = await listPortraits(folder);
if (files.length === 0)
  leaveWrongly(
    name,
    named === undefined ? 'Name a folder of portraits.' : `There are no pictures (*.jpg or *.jpeg) in ${named}.`,
  );
const texts = {
  births: readText('births', values.births),
  ages: readText('ages', values.ages),
  glasses: readText('glasses', values.glasses),
};
const known = texts.ages === null ? null : parseKnownPeople(texts.ages);
if (known) {
  reportFile(files, known);
  if (!files.some((file) => known.people.has(portraitName(file))))
    leaveWrongly(name, 'No line of the file of ages belongs to a picture. A line looks like this: 0017,34,f');
}

const bound = readBound(values.bound);
const started = performance.now();
const models = await openModels(MODEL_ROLES);
if (known) {
  await reportKnownAges(models, { folder, files, known, bound });
  process.exit();
}
const portraits: Portrait[] = [];
for (const file of files) {
  portraits.push(await readPortrait(models, folder, file));
  if (portraits.length % 8 === 0) console.error(`${portraits.length} of ${files.length} portraits read`);
}
const read = performance.now();

const manifest = await loadManifest();
const thresholdsOf = (role: string) => manifest.models.find((model) => model.role === role)!.thresholds;
const people = new Set(portraits.map(({ person }) => person)).size;
console.log(
  `${portraits.length} portrait${portraits.length === 1 ? '' : 's'} of ${people} ${people === 1 ? 'person' : 'people'}`,
);
reportDetection(portraits);
reportRecognition(portraits, thresholdsOf('embedding'));
reportAge(portraits, texts.births === null ? new Map() : readKnownAges(texts.births));
reportGlasses(portraits, texts.glasses === null ? null : readNames(texts.glasses));
await reportOnePerson(models, portraits, thresholdsOf('embedding'));
await reportLiveness(models, portraits, thresholdsOf('liveness').get('live')!);

const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(0);
console.log(
  `\nTook ${seconds(started, read)} s for the portraits with all models, ${seconds(read, performance.now())} s for the rest.`,
);

function readBound(text = Object.values(AGE_BOUND).join()): AgeBound {
  const [spread, mirror, years, ...more] = text
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (!(spread! >= 0 && mirror! >= 0 && years! >= 0) || more.length > 0)
    return leaveWrongly(name, '--bound must be three numbers of at least 0, such as 0.5,0.35,2.');
  return { spread: spread!, mirror: mirror!, years: years! };
}

function readText(option: string, path: string | undefined): string | null {
  if (path === undefined) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return leaveWrongly(name, `The file ${path} of --${option} cannot be read.`);
  }
}
