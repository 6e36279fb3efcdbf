// The key-holder's part in blocks, with real keys and real tokens: what it folds, packs and scores, and what it refuses.
import { readFileSync } from 'node:fs';
import { ALL_PLACES, drawForEpoch, type EpochPolynomials, M_SQUARED } from '@limen/token/shared';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChallengePurpose, UnknownEpoch } from '../core/keyholder/keyholder.ts';
import { auditFile } from './audit/audit-chain.ts';
import { ask, evaluator, MODEL_VERSION, makeProbe, makeToken, randomVector, shapeOf } from './testing/faces.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from './testing/local-key-holder.ts';

let holder: LocalKeyHolder;
let epoch: string;
let polynomials: EpochPolynomials;
let block: Uint8Array;
const faces = Array.from({ length: 4 }, () => randomVector());

beforeAll(async () => {
  holder = await openLocalKeyHolder();
  const made = [];
  for (const face of faces) made.push(await makeToken(holder, face));
  epoch = made[0]!.epoch;
  polynomials = await drawForEpoch(epoch);
  const { masked, unmask } = evaluator().maskForPacking(made.map(({ token }) => token));
  const [packed] = await holder.pack('acme', epoch, masked);
  block = unmask(packed!);
});
afterAll(() => holder.close());

async function begin(face: Float32Array, purpose: ChallengePurpose = 'identify', more = {}) {
  const opened = await holder.openChallenge(ask(purpose, more));
  const probe = await makeProbe(face, opened);
  const about = { modelVersion: MODEL_VERSION, ...(purpose === 'verify' && { person: 'somebody' }) };
  await holder.begin(opened.challenge, about, await shapeOf(probe));
  return { challenge: opened.challenge, probe };
}

async function fold({ challenge, probe }: { challenge: string; probe: Uint8Array }) {
  const { masked, balance, unmask } = evaluator().maskForFolding(probe, polynomials);
  const folded = await holder.fold(challenge, epoch, masked, balance);
  if (folded === 'malformed') throw new Error('refused');
  return unmask(folded);
}

async function sendBlock(challenge: string, probe: Awaited<ReturnType<typeof fold>>, counting = ALL_PLACES) {
  const arena = evaluator().createArena();
  const slots = Uint32Array.of(arena.addBlock(block, polynomials.ofProbes));
  try {
    await evaluator().compareBlocks(arena, slots, Uint8Array.of(counting), probe, (rows) =>
      holder.blocks(challenge, epoch, rows),
    );
  } finally {
    arena.close();
  }
}

it('answers with the position among those who count', async () => {
  for (const [counting, face, best] of [
    [ALL_PLACES, 2, 2],
    [0b1100, 2, 0],
    [0b1001, 2, null],
  ] as const) {
    const begun = await begin(faces[face]!);
    await sendBlock(begun.challenge, await fold(begun), counting);
    expect(await holder.finish(begun.challenge)).toEqual({ best });
    await expect(
      sendBlock(begun.challenge, { values: new Int32Array(2048), common: new Uint8Array(4096) }),
    ).rejects.toMatchObject({ reason: 'used' });
    await holder.settle(begun.challenge, best === null ? null : 'somebody');
  }
});

it('folds a probe once for each of the customer’s keys, and for nobody who is verified', async () => {
  const begun = await begin(faces[0]!);
  const { masked, balance } = evaluator().maskForFolding(begun.probe, polynomials);
  const unknown = 'A'.repeat(22);
  await expect(holder.fold(begun.challenge, unknown, masked, balance)).rejects.toBeInstanceOf(UnknownEpoch);
  await expect(
    sendBlock(begun.challenge, { values: new Int32Array(2048), common: new Uint8Array(4096) }),
  ).rejects.toThrow('not folded');
  await fold(begun);
  await expect(fold(begun)).rejects.toMatchObject({ reason: 'used' });
  const verified = await begin(faces[0]!, 'verify');
  await expect(fold(verified)).rejects.toThrow('one person');
  await expect(holder.fold('B'.repeat(22), epoch, masked, balance)).rejects.toMatchObject({ reason: 'unknown' });
});

it('refuses a probe that would be longer once it is folded, counts that, and ends the challenge', async () => {
  const begun = await begin(faces[0]!, 'identify', { address: 'forger' });
  const { masked, balance } = evaluator().maskForFolding(begun.probe, polynomials);
  // As if three quarters of its length were at even powers.
  const words = new Int32Array(balance.buffer, 0, 1);
  words[0]! += M_SQUARED / 2;
  expect(await holder.fold(begun.challenge, epoch, masked, balance)).toBe('malformed');
  await expect(holder.finish(begun.challenge)).rejects.toMatchObject({ reason: 'unknown' });
  expect(auditLines().at(-1)).toMatchObject({ outcome: 'malformed', challenge: begun.challenge });
});

it('packs four by four and says so in the audit', async () => {
  expect(auditLines()).toContainEqual(expect.objectContaining({ outcome: 'packed', customer: 'acme', epoch, rows: 4 }));
  const body = new Uint8Array(13_312);
  await expect(holder.pack('acme', epoch, [body, body, body])).rejects.toThrow('four people');
  await expect(holder.pack('acme', epoch, [body.subarray(1)])).rejects.toThrow('another length');
  await expect(holder.pack('other', epoch, [])).rejects.toBeInstanceOf(UnknownEpoch);
});

it('counts the people of blocks as rows: an enrolment takes no more late ones than one by one', async () => {
  const begun = await begin(randomVector(), 'enrol');
  const probe = await fold(begun);
  await sendBlock(begun.challenge, probe);
  expect(await holder.finish(begun.challenge)).toEqual({ best: null });
  const arena = evaluator().createArena();
  const slots = new Uint32Array(65).fill(arena.addBlock(block, polynomials.ofProbes));
  const late = evaluator().compareBlocks(arena, slots, new Uint8Array(65).fill(ALL_PLACES), probe, (rows) =>
    holder.blocks(begun.challenge, epoch, rows),
  );
  await expect(late).rejects.toThrow('too many rows');
  arena.close();
});

function auditLines(): Record<string, unknown>[] {
  const lines = readFileSync(auditFile(holder.folder), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
