// Sealed embeddings are opened alike here and in threads, in order, and a damaged one is told from the others.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createSealer } from '../../platform/sealing/sealer.ts';
import { createEmbeddingSeal } from './embedding-seal.ts';
import { createEmbeddingOpener } from './open-embeddings.ts';

const DIMENSIONS = 128;
const sealer = createSealer({ sealKeys: [{ id: randomUUID(), key: randomBytes(32) }], lookupKey: randomBytes(32) });
const seal = createEmbeddingSeal(sealer);

function makeRows(count: number) {
  return Array.from({ length: count }, (_, seq) => {
    const id = randomUUID();
    const vector = Float32Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(seq * 1000 + i));
    return { seq, id, vector, sealed: seal.seal(id, vector) };
  });
}

it.each([5, 700])('opens %d, in order, and leaves the damaged ones out', async (count) => {
  const opener = createEmbeddingOpener(sealer, 2);
  onTestFinished(() => opener.close());
  const rows = makeRows(count);
  rows[1]!.sealed[60]! ^= 1;
  rows[2]!.id = randomUUID();
  rows[3]!.sealed = seal.seal(rows[3]!.id, new Float32Array(DIMENSIONS - 1).fill(1));
  const pages = [rows.slice(0, count / 2), rows.slice(count / 2)];
  const opened = (await Promise.all(pages.map((page) => opener.open(page, DIMENSIONS)))).flat();
  expect(opened.length).toBe(count);
  expect(opened.slice(1, 4)).toEqual([undefined, undefined, undefined]);
  for (const [at, { vector }] of rows.entries()) if (at < 1 || at > 3) expect(opened[at]).toEqual(vector);
});

it('refuses what is under way when it is closed, and starts anew afterwards', async () => {
  const opener = createEmbeddingOpener(sealer, 1);
  onTestFinished(() => opener.close());
  const rows = makeRows(300);
  const underWay = opener.open(rows, DIMENSIONS);
  const refused = expect(underWay).rejects.toThrow('ended');
  await opener.close();
  await refused;
  expect((await opener.open(rows, DIMENSIONS))[299]).toEqual(rows[299]!.vector);
});
