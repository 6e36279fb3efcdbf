// Faces for tests of the key-holder: real tokens and probes of random vectors, blinded as by the
// service.
import { openDevice } from '@limen/token/device';
import { Evaluator, type FoldedProbe } from '@limen/token/evaluator';
import { type BlindedRows, type BlindedShape, readToken, rememberEpochs } from '@limen/token/shared';
import { encryptInBothHalves } from '../../../../packages/token/testing/forge.ts';
import { randomVector, vectorNear } from '../../../../packages/token/testing/vectors.ts';
import type { ChallengeRequest, KeyHolder, OpenedChallenge } from '../../src/faces/keyholder/link/calls.ts';

export const MODEL_VERSION = 'LIMEN_TEST';
const MODEL_ID = Buffer.alloc(16, 3).toString('base64url');

export { randomVector, vectorNear };

export const polynomialsOf = rememberEpochs();

let device: ReturnType<typeof openDevice> | undefined;
let opened: Evaluator | undefined;

/** Shared evaluator, which starts threads only for large comparisons. */
export function evaluator(): Evaluator {
  opened ??= new Evaluator({ threads: 1, maxBytes: 2 ** 20 });
  return opened;
}

export async function makeProbe(vector: Float32Array, opened: OpenedChallenge): Promise<Uint8Array> {
  const { challenge: keyId, publicKey } = opened;
  device ??= openDevice();
  return readToken((await device).encrypt(vector, { publicKey, keyId }, MODEL_ID)).body;
}

export function shapeOf(body: Uint8Array): Promise<BlindedShape> {
  return evaluator().shape(body);
}

/** Returns the rows of the tokens, with repeated tokens compared once. */
export function rowsOf(tokens: readonly Uint8Array[], probe: Uint8Array): BlindedRows {
  const made = new Map<Uint8Array, Uint8Array>();
  for (const token of new Set(tokens)) made.set(token, evaluator().compareOne(token, probe).bytes);
  return { count: tokens.length, bytes: Buffer.concat(tokens.map((token) => made.get(token)!)) };
}

export function ask(purpose: ChallengeRequest['purpose'], more: Partial<ChallengeRequest> = {}): ChallengeRequest {
  return { customer: 'acme', purpose, session: 'session', address: 'address', ...more };
}

/** Runs an enrollment up to its `begin`. */
export async function beginEnrollment(holder: KeyHolder, vector: Float32Array, more: Partial<ChallengeRequest> = {}) {
  const opened = await holder.openChallenge(ask('enrol', more));
  const probe = await makeProbe(vector, opened);
  const shape = await holder.begin(opened.challenge, { modelVersion: MODEL_VERSION }, await shapeOf(probe));
  return { challenge: opened.challenge, probe, shape };
}

/** Adopts the probe of an enrollment, as the service does. */
export async function adopt(holder: KeyHolder, { challenge, probe }: { challenge: string; probe: Uint8Array }) {
  const { masked, unmask } = evaluator().maskForRenewal(probe);
  const { epoch, body } = await holder.adopt(challenge, masked);
  return { epoch, token: await unmask(body) };
}

/**
 * Runs an enrollment without comparisons and returns the token under the customer's current key.
 */
export async function makeToken(holder: KeyHolder, vector: Float32Array, more: Partial<ChallengeRequest> = {}) {
  const begun = await beginEnrollment(holder, vector, { session: 'enrolment', ...more });
  await holder.finish(begun.challenge);
  const adopted = await adopt(holder, begun);
  await holder.settle(begun.challenge, 'somebody');
  return adopted;
}

/** Creates a token whose vector is too long for a block, as older versions accepted. */
export async function plantToken(holder: KeyHolder, vector: Float32Array) {
  const opened = await holder.openChallenge(ask('enrol', { session: 'forger' }));
  const { challenge, publicKey } = opened;
  const honest = await shapeOf(await makeProbe(vector, opened));
  await holder.begin(challenge, { modelVersion: MODEL_VERSION }, honest);
  await holder.finish(challenge);
  const planted = await adopt(holder, { challenge, probe: await encryptInBothHalves(vector, publicKey) });
  await holder.settle(challenge, 'forger');
  return planted;
}

/** Returns the customer's current epoch, created if missing. */
export async function epochOf(holder: KeyHolder, customer = 'acme'): Promise<string> {
  return (await makeToken(holder, randomVector(), { customer, session: `epoch of ${customer}` })).epoch;
}

/**
 * Runs a search in one epoch: challenge, begin, rows, finish. Settles a search without a match, as
 * the service does.
 */
export async function search(
  holder: KeyHolder,
  vector: Float32Array,
  {
    epoch,
    tokens,
    person,
    ...more
  }: { epoch: string; tokens: Uint8Array[]; person?: string } & Partial<ChallengeRequest>,
) {
  const opened = await holder.openChallenge(ask(person === undefined ? 'identify' : 'verify', more));
  const probe = await makeProbe(vector, opened);
  const about = { modelVersion: MODEL_VERSION, ...(person !== undefined && { person }) };
  const shape = await holder.begin(opened.challenge, about, await shapeOf(probe));
  if (shape === 'malformed') return { challenge: opened.challenge, shape, best: null };
  await holder.rows(opened.challenge, epoch, rowsOf(tokens, probe));
  const { best } = await holder.finish(opened.challenge);
  if (best === null) await holder.settle(opened.challenge, null);
  return { challenge: opened.challenge, shape, best };
}

/** Runs a search up to its `begin`. */
export async function beginSearch(
  holder: KeyHolder,
  face: Float32Array,
  purpose: ChallengeRequest['purpose'] = 'identify',
  more: Partial<ChallengeRequest> = {},
) {
  const opened = await holder.openChallenge(ask(purpose, more));
  const probe = await makeProbe(face, opened);
  const about = { modelVersion: MODEL_VERSION, ...(purpose === 'verify' && { person: 'somebody' }) };
  await holder.begin(opened.challenge, about, await shapeOf(probe));
  return { challenge: opened.challenge, probe };
}

/** Packs four tokens of a customer into a block. */
export async function packTokens(holder: KeyHolder, epoch: string, tokens: Uint8Array[]): Promise<Uint8Array> {
  const { masked, unmask } = evaluator().maskForPacking(tokens);
  const packed = await holder.pack('acme', epoch, masked, readBalances(tokens));
  if ('unbalanced' in packed) throw new Error(`token ${packed.unbalanced} is out of balance`);
  return unmask(packed.blocks[0]!);
}

export function readBalances(tokens: readonly Uint8Array[]): Uint8Array[] {
  return tokens.map((token) => evaluator().balance(token));
}

/** Folds the probe of a challenge that was begun. */
export async function foldProbe(
  holder: KeyHolder,
  epoch: string,
  { challenge, probe }: { challenge: string; probe: Uint8Array },
): Promise<FoldedProbe> {
  const { masked, unmask } = evaluator().maskForFolding(probe, await polynomialsOf(epoch));
  return unmask(await holder.fold(challenge, epoch, masked));
}

/** Sends one block once per number, each with the bits of the slots that count. */
export async function sendBlock(
  holder: KeyHolder,
  epoch: string,
  { challenge, block, folded }: { challenge: string; block: Uint8Array; folded: FoldedProbe },
  counting: readonly number[],
): Promise<void> {
  const arena = evaluator().createArena();
  const slot = arena.addBlock(block, (await polynomialsOf(epoch)).ofProbes);
  const slots = new Uint32Array(counting.length).fill(slot);
  try {
    await evaluator().compareBlocks(arena, slots, Uint8Array.from(counting), folded, (rows) =>
      holder.blocks(challenge, epoch, rows),
    );
  } finally {
    arena.close();
  }
}
