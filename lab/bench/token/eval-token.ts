// `npm run eval:token`: compares decisions on encrypted and plain faces, on portraits that are not
// part of the project.
import { join } from 'node:path';
import { loadManifest } from '@limen/face-models';
import { openDevice } from '@limen/token/device';
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { compareEmbeddings, embedFace } from '../../../apps/launch/src/face/read/embed.ts';
import { watchFrame } from '../../../apps/launch/src/face/read/estimate.ts';
import { openModels } from '../../../apps/launch/testing/models.ts';
import { readPicture } from '../../../apps/launch/testing/pictures.ts';
import { openPacker } from '../../../packages/token/testing/packed.ts';
import { adoptBody, encryptBody, makeParty, scoreOne } from '../../../packages/token/testing/parties.ts';
import { ERROR_BAND, PACKED_BAND } from '../../../packages/token/testing/score-errors.ts';
import { rootMeanSquare } from '../../../packages/token/testing/vectors.ts';
import { listPortraits } from '../faces/read.ts';
import { printTable } from '../shared/rates.ts';
import { leaveWrongly, readArguments } from '../shared/read-arguments.ts';

/** Errors depend somewhat on the keys. */
const KEY_SETS = 20;
/** Different probes use different sets of keys. */
const SHARE = 4;

/** Maximum distance of tokens from embeddings, individually and in blocks of four. */
const FORMS = {
  oneByOne: { name: 'one by one', band: ERROR_BAND, mostRms: 3e-3 },
  inBlocks: { name: 'in blocks', band: PACKED_BAND, mostRms: 4.8e-3 },
};
type Form = (typeof FORMS)[keyof typeof FORMS];

interface Comparison {
  isSame: boolean;
  plain: number;
  encrypted: number;
}

const { name, positionals } = readArguments({
  name: 'eval:token',
  does: 'whether decisions on encrypted faces agree with those on plain ones, on portraits of your own',
  takes: 'about half a minute for 64 portraits',
  operand: {
    name: 'FOLDER',
    does: 'portraits, *.jpg or *.jpeg; ID-a.jpg and ID-b.jpg show the same person. Without one: ../shared/data/faces',
  },
  options: {},
});
const folder = positionals[0] ?? join(import.meta.dirname, '../../../../shared/data/faces');
const files = await listPortraits(folder);
if (files.length === 0)
  leaveWrongly(
    name,
    positionals.length === 0 ? 'Name a folder of portraits.' : `There are no pictures (*.jpg or *.jpeg) in ${folder}.`,
  );

const faces = await readFaces();
const comparisons = await compareAll();
const manifest = await loadManifest();
const { thresholds } = manifest.models.find(({ role }) => role === 'embedding')!;
console.log(
  `${faces.length} faces of ${new Set(faces.map(({ person }) => person)).size} people, ${KEY_SETS} sets of keys`,
);
for (const form of ['oneByOne', 'inBlocks'] as const) {
  if (reportDecisions(comparisons[form], FORMS[form])) process.exitCode = 1;
  reportErrors(comparisons[form], FORMS[form]);
}

async function readFaces(): Promise<{ person: string; embedding: Float32Array }[]> {
  const models = await openModels(['detect', 'landmarks', 'eye', 'embedding']);
  const read = [];
  for (const file of files) {
    const frame = await readPicture(join(folder, file));
    const { face } = await watchFrame(models, frame);
    const person = file.replace(/-[^-]*$/, '');
    const embedding = face && (await embedFace(models, frame, face.landmarks));
    if (embedding) read.push({ person, embedding });
    if (read.length % 16 === 0) console.error(`${read.length} of ${files.length} portraits read`);
  }
  return read;
}

/** Everyone's token with everyone's probe. Tokens are created as in an enrollment. */
async function compareAll(): Promise<Record<keyof typeof FORMS, Comparison[]>> {
  const [device, packer] = [await openDevice(), await openPacker()];
  const compared = { oneByOne: [] as Comparison[], inBlocks: [] as Comparison[] };
  for (let set = 0; set < KEY_SETS; set += 1) {
    if (set % 5 === 0) console.error(`set of keys ${set + 1} of ${KEY_SETS}`);
    const [enroll, enrollment, signIn] = [await makeParty(), await makeParty(), await makeParty()];
    const probes = faces
      .filter((_, index) => index % SHARE === set % SHARE)
      .map(({ person, embedding }) => ({ person, embedding, body: encryptBody(device, embedding, signIn) }));
    const tokens: Uint8Array[] = [];
    for (const { embedding } of faces)
      tokens.push(await adoptBody(encryptBody(device, embedding, enrollment), enrollment, enroll));
    const blocks = Array.from({ length: Math.ceil(tokens.length / BLOCK_PEOPLE) }, (_, block) => {
      // The last one is filled up with the first people.
      const places = Array.from({ length: BLOCK_PEOPLE }, (_, place) => block * BLOCK_PEOPLE + place);
      return packer.pack(
        places.map((at) => tokens[at % tokens.length]!),
        enroll,
      );
    });
    for (const probe of probes) {
      const packed = await packer.score(blocks, packer.fold(probe.body, signIn), enroll);
      for (const [at, one] of faces.entries()) {
        const pair = {
          isSame: one.person === probe.person,
          plain: compareEmbeddings(one.embedding, probe.embedding),
        };
        const rows = packer.evaluator.compareOne(tokens[at]!, probe.body);
        compared.oneByOne.push({ ...pair, encrypted: scoreOne(rows, enroll.key, signIn.key) });
        compared.inBlocks.push({ ...pair, encrypted: packed[at]! });
      }
    }
  }
  device.close();
  await packer.close();
  return compared;
}

/** Whether any decision differs that should not. */
function reportDecisions(compared: readonly Comparison[], { name: form, band }: Form): boolean {
  let isAnyOutside = false;
  const rows = [...thresholds].map(([name, least]) => {
    const differ = compared.filter(({ plain, encrypted }) => plain >= least !== encrypted >= least);
    const outside = differ.filter(({ plain }) => Math.abs(plain - least) > band);
    const near = compared.filter(({ plain }) => Math.abs(plain - least) <= band);
    isAnyOutside ||= outside.length > 0;
    return [`${least} (${name})`, compared.length, near.length, differ.length, outside.length].map(String);
  });
  printTable(
    `Decisions on tokens that differ from those on embeddings, ${form}; the band is ±${band}`,
    ['threshold', 'pairs', 'within the band', 'differ', 'differ outside the band'],
    rows,
  );
  return isAnyOutside;
}

function reportErrors(compared: readonly Comparison[], { name: form, mostRms }: Form): void {
  const describe = (name: string, chosen: readonly Comparison[]) => {
    const own = chosen.map(({ plain, encrypted }) => encrypted - plain);
    const mean = own.reduce((sum, error) => sum + error, 0) / own.length;
    const largest = own.reduce((most, error) => Math.max(most, Math.abs(error)), 0);
    return [name, String(own.length), rootMeanSquare(own).toExponential(2), mean.toExponential(1), largest.toFixed(4)];
  };
  printTable(
    `Errors of the scores, ${form}; the aim is a root mean square below ${mostRms}`,
    ['', 'pairs', 'root mean square', 'mean', 'largest'],
    [
      describe(
        'the same person',
        compared.filter(({ isSame }) => isSame),
      ),
      describe(
        'two people',
        compared.filter(({ isSame }) => !isSame),
      ),
      describe('all', compared),
    ],
  );
}
