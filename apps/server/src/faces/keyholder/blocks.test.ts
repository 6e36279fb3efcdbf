// The key-holder's part in blocks, with real keys and tokens: folding, packing, scoring, refusing.
import { readFileSync } from 'node:fs';
import { ALL_PLACES, BODY_BYTES, COMMON_BYTES, RING_DEGREE } from '@limen/token/shared';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ask,
  beginSearch,
  evaluator,
  foldProbe,
  MODEL_VERSION,
  makeToken,
  packTokens,
  plantToken,
  polynomialsOf,
  randomVector,
  readBalances,
  sendBlock,
  shapeOf,
} from '#testing/faces/faces.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { encryptInBothHalves } from '../../../../../packages/token/testing/forge.ts';
import { auditFile } from './audit/chain.ts';
import { ThrottledError, UnknownEpochError } from './link/calls.ts';

const faces = Array.from({ length: 4 }, () => randomVector());
/** Folds a probe without the key-holder. */
const NOTHING = { values: new Int32Array(RING_DEGREE), common: new Uint8Array(COMMON_BYTES) };

let holder: LocalKeyHolder;
let epoch: string;
let block: Uint8Array;

beforeAll(async () => {
  holder = await openLocalKeyHolder();
  const made = [];
  for (const face of faces) made.push(await makeToken(holder, face));
  epoch = made[0]!.epoch;
  block = await packTokens(
    holder,
    epoch,
    made.map(({ token }) => token),
  );
});
afterAll(() => holder.close());

it.each([
  [ALL_PLACES, 2],
  [0b1100, 0],
  [0b1001, null],
])('answers with the position among the counted people, %i', async (counting, best) => {
  const { challenge, probe } = await beginSearch(holder, faces[2]!);
  const folded = await foldProbe(holder, epoch, { challenge, probe });
  await sendBlock(holder, epoch, { challenge, block, folded }, [counting]);
  expect(await holder.finish(challenge)).toEqual({ best });
  const more = sendBlock(holder, epoch, { challenge, block, folded }, [counting]);
  await expect(more).rejects.toMatchObject({ reason: 'used' });
  await holder.settle(challenge, best === null ? null : 'somebody');
});

it('folds a probe once per customer key, and never for a verification', async () => {
  const { challenge, probe } = await beginSearch(holder, faces[0]!);
  const { masked } = evaluator().maskForFolding(probe, await polynomialsOf(epoch));
  await expect(holder.fold(challenge, 'A'.repeat(22), masked)).rejects.toBeInstanceOf(UnknownEpochError);
  await expect(sendBlock(holder, epoch, { challenge, block, folded: NOTHING }, [1])).rejects.toThrow('not folded');
  await foldProbe(holder, epoch, { challenge, probe });
  await expect(foldProbe(holder, epoch, { challenge, probe })).rejects.toMatchObject({ reason: 'used' });
  await expect(holder.fold('B'.repeat(22), epoch, masked)).rejects.toMatchObject({ reason: 'unknown' });
  await expect(foldProbe(holder, epoch, await beginSearch(holder, faces[0]!, 'verify'))).rejects.toThrow('one person');
});

it('refuses a probe that grows when folded, counts it and ends the challenge', async () => {
  for (const purpose of ['enrol', 'identify'] as const) {
    const opened = await holder.openChallenge(ask(purpose, { address: 'forger' }));
    const forged = await encryptInBothHalves(faces[0]!, opened.publicKey);
    const shape = await holder.begin(opened.challenge, { modelVersion: MODEL_VERSION }, await shapeOf(forged));
    expect(shape).toBe('malformed');
    await expect(holder.finish(opened.challenge)).rejects.toMatchObject({ reason: 'unknown' });
    expect(auditLines().at(-1)).toMatchObject({ outcome: 'malformed', challenge: opened.challenge });
  }
});

it('packs nothing if a token is unbalanced, and names it at most as often as it answers', async () => {
  const strict = await openLocalKeyHolder({ budgets: { sign_in: 2 } });
  try {
    const planted = await plantToken(strict, randomVector());
    const honest = [];
    for (const face of faces) honest.push((await makeToken(strict, face)).token);
    const tokens = [honest[0]!, honest[1]!, planted.token, honest[2]!];
    const pack = (bodies: Uint8Array[]) =>
      strict.pack('acme', planted.epoch, evaluator().maskForPacking(bodies).masked, readBalances(bodies));
    for (let answer = 0; answer < 2; answer++) expect(await pack(tokens)).toEqual({ unbalanced: 2 });
    // From here on, a refusal looks like an absent token.
    await expect(pack(tokens)).rejects.toBeInstanceOf(ThrottledError);
    await expect(pack(honest)).rejects.toBeInstanceOf(ThrottledError);
    strict.clock.advance(3_600_000);
    expect(await pack(honest)).toMatchObject({ blocks: [expect.any(Uint8Array)] });
  } finally {
    await strict.close();
  }
});

it('packs groups of four and audits it', async () => {
  expect(auditLines()).toContainEqual(expect.objectContaining({ outcome: 'packed', customer: 'acme', epoch, rows: 4 }));
  const body = new Uint8Array(BODY_BYTES);
  await expect(holder.pack('acme', epoch, [body, body, body], [])).rejects.toThrow('four people');
  await expect(holder.pack('acme', epoch, [body.subarray(1)], [])).rejects.toThrow('another length');
  await expect(holder.pack('acme', epoch, [body, body, body, body], [])).rejects.toThrow('its balance');
  await expect(holder.pack('other', epoch, [], [])).rejects.toBeInstanceOf(UnknownEpochError);
});

it('counts people in blocks as rows, so an enrollment accepts no more late ones', async () => {
  const { challenge, probe } = await beginSearch(holder, randomVector(), 'enrol');
  const folded = await foldProbe(holder, epoch, { challenge, probe });
  await sendBlock(holder, epoch, { challenge, block, folded }, [ALL_PLACES]);
  expect(await holder.finish(challenge)).toEqual({ best: null });
  const late = sendBlock(holder, epoch, { challenge, block, folded }, Array(65).fill(ALL_PLACES));
  await expect(late).rejects.toThrow('too many rows');
});

function auditLines(): Record<string, unknown>[] {
  const lines = readFileSync(auditFile(holder.folder), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
