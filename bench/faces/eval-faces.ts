// `npm run eval:faces`: how well faces are found, recognised and aged, on portraits that the project does not carry.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadManifest, MODEL_ROLES } from '@limen/face-models';
import { openModels } from '../../apps/launch/testing/models.ts';
import { reportLiveness } from './liveness.ts';
import { listPortraits, type Portrait, readKnownAges, readNames, readPortrait } from './read.ts';
import { reportAge, reportDetection, reportGlasses, reportRecognition } from './tables.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { births: { type: 'string' }, glasses: { type: 'string' } },
});
const folder = positionals[0] ?? join(import.meta.dirname, '../../../shared/data/faces');
const files = await listPortraits(folder);
if (files.length === 0) {
  console.error(`No portraits in ${folder}. Give a folder of files named ID-a.jpg and ID-b.jpg:`);
  console.error('npm run eval:faces -- FOLDER [--births births.csv] [--glasses names.txt]');
  process.exit(2);
}

const started = performance.now();
const models = await openModels(MODEL_ROLES);
const portraits: Portrait[] = [];
for (const file of files) {
  portraits.push(await readPortrait(models, folder, file));
  if (portraits.length % 16 === 0) console.error(`${portraits.length} of ${files.length} portraits read`);
}
const read = performance.now();

const manifest = await loadManifest();
const thresholdsOf = (role: string) => manifest.models.find((model) => model.role === role)!.thresholds;
console.log(`${portraits.length} portraits of ${new Set(portraits.map(({ person }) => person)).size} people`);
reportDetection(portraits);
reportRecognition(portraits, thresholdsOf('embedding'));
reportAge(portraits, values.births === undefined ? new Map() : readKnownAges(values.births));
reportGlasses(portraits, values.glasses === undefined ? null : readNames(values.glasses));
await reportLiveness(models, portraits, thresholdsOf('liveness').get('live')!);

const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(0);
console.log(
  `\nTook ${seconds(started, read)} s for the portraits with all models, ${seconds(read, performance.now())} s for the rest.`,
);
