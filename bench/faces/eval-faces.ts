// `npm run eval:faces`: how well faces are found, recognised and aged, on portraits that the project does not carry.
import { join } from 'node:path';
import { loadManifest, MODEL_ROLES } from '@limen/face-models';
import { openModels } from '../../apps/launch/testing/models.ts';
import { leaveWrongly, readArguments } from '../shared/read-arguments.ts';
import { reportKnownAges } from './known-ages.ts';
import { reportLiveness } from './liveness.ts';
import { reportOnePerson } from './one-person.ts';
import { listPortraits, type Portrait, readKnownAges, readKnownPeople, readNames, readPortrait } from './read.ts';
import { reportAge, reportDetection, reportGlasses, reportRecognition } from './tables.ts';

const { name, values, positionals } = readArguments({
  name: 'eval:faces',
  does: 'how well the models find, recognise and age faces, and tell live ones from pictures, on portraits of your own',
  takes: 'about ten minutes for 64 portraits',
  operand: { name: 'FOLDER', does: 'portraits; ID-a.jpg and ID-b.jpg show the same person' },
  options: {
    births: {
      type: 'string',
      value: 'FILE',
      does: 'lines of name,birth,photo year: adds the errors of the estimated age',
    },
    ages: {
      type: 'string',
      value: 'FILE',
      does: 'lines of name,age or name,age,sex: prints only whom the age rule lets in and sends on, for calibrating',
    },
    glasses: { type: 'string', value: 'FILE', does: 'names of the people who wear glasses, one a line' },
  },
});
const folder = positionals[0] ?? join(import.meta.dirname, '../../../shared/data/faces');
const files = await listPortraits(folder);
if (files.length === 0) leaveWrongly(name, `There are no portraits in ${folder}. Name a folder that has some.`);

const started = performance.now();
const models = await openModels(MODEL_ROLES);
if (values.ages !== undefined) {
  await reportKnownAges(models, { folder, files, people: readKnownPeople(values.ages) });
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
console.log(`${portraits.length} portraits of ${new Set(portraits.map(({ person }) => person)).size} people`);
reportDetection(portraits);
reportRecognition(portraits, thresholdsOf('embedding'));
reportAge(portraits, values.births === undefined ? new Map() : readKnownAges(values.births));
reportGlasses(portraits, values.glasses === undefined ? null : readNames(values.glasses));
await reportOnePerson(models, portraits, thresholdsOf('embedding'));
await reportLiveness(models, portraits, thresholdsOf('liveness').get('live')!);

const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(0);
console.log(
  `\nTook ${seconds(started, read)} s for the portraits with all models, ${seconds(read, performance.now())} s for the rest.`,
);
