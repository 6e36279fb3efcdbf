// A thread of eval:documents: draws a document, photographs it in every way and reads it, or
// compares its portrait.
import { parentPort } from 'node:worker_threads';
import { createCamera } from '@limen/documents/testing/distort/index.ts';
import { drawPerson, drawSpecimen, type SpecimenWish } from '@limen/documents/testing/specimens/index.ts';
import type { DocumentKind } from '../../../apps/launch/src/document/kinds.ts';
import { openModels } from '../../../apps/launch/testing/models.ts';
import { type Look, type Looked, lookForSigns } from './looks.ts';
import { readFromDocument, readLive, type Sitter } from './portraits.ts';
import { createReaders, type Reading } from './read.ts';
import { WAYS } from './ways.ts';

export type Job =
  | { job: 'read'; wish: Pick<SpecimenWish, 'kind' | 'visa' | 'break'>; seed: number; ways: readonly string[] }
  | { job: 'signs'; look: Look; seed: number }
  | { job: 'portrait'; sitter: Sitter; seed: number; ways: readonly string[] };

export type Done =
  | ({ job: 'signs' } & Looked)
  | { job: 'read'; readings: { way: string; reading: Reading }[] }
  | {
      job: 'portrait';
      live: Float32Array | null;
      /** Null if no portrait was found on the document. */
      shown: { way: string; kind: SpecimenWish['kind']; embedding: Float32Array | null }[];
    };

const models = await openModels(['document_text', 'detect', 'landmarks', 'embedding']);
const readers = createReaders(models);

async function readInAllWays({ wish, seed, ways }: Job & { job: 'read' }): Promise<Done> {
  const { sides, truth, millimetres: millimeters } = await drawSpecimen({ ...wish, person: drawPerson(seed), seed });
  const readings: { way: string; reading: Reading }[] = [];
  for (const [index, { name, how, held }] of WAYS.entries()) {
    if (!ways.includes(name)) continue;
    const camera = createCamera(sides.zone ?? sides.barcode!, how, {
      seed: seed * 100 + index,
      millimetres: millimeters,
      ...held,
    });
    readings.push({ way: name, reading: await readers.read(camera, kindOf(wish.kind), truth.birth) });
  }
  return { job: 'read', readings };
}

/** The person's choice on the page. Visas are pages like passports. */
function kindOf(kind: SpecimenWish['kind']): DocumentKind {
  if (kind === 'licence_us' || kind === 'licence_ca') return 'licence';
  return kind === 'passport' || kind === 'visa' ? 'passport' : 'card';
}

async function comparePortrait({ sitter, seed, ways }: Job & { job: 'portrait' }): Promise<Done> {
  const live = await readLive(models, sitter);
  const shown: (Done & { job: 'portrait' })['shown'] = [];
  const kind = (['passport', 'card', 'licence_us'] as const)[seed % 3]!;
  for (const way of ways) shown.push({ way, kind, embedding: await readFromDocument(models, sitter, kind, way, seed) });
  return { job: 'portrait', live, shown };
}

function work(job: Job): Promise<Done> {
  if (job.job === 'read') return readInAllWays(job);
  return job.job === 'portrait' ? comparePortrait(job) : lookForSigns(job.look, job.seed);
}

parentPort!.on('message', (job: Job) => {
  // A rejection ends the thread and reaches its starter.
  void work(job).then((result) => parentPort!.postMessage(result));
});
