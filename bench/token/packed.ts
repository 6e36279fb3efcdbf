// Blocks of four people in the token benchmark: what one core does in both roles, and searches by threads of each.
import { type Evaluator, type FoldedProbe, openEvaluator, type TokenArena } from '@limen/token/evaluator';
import { foldMaskedProbe, type ProbeSecret, packBlock, scoreBlocks } from '@limen/token/keyholder';
import {
  ALL_PLACES,
  BLOCK_PEOPLE,
  BLOCK_ROW_BYTES,
  type BlindedBlocks,
  drawForEpoch,
  type EpochPolynomials,
} from '@limen/token/shared';
import { createBlockComparer } from '../../packages/token/evaluator/packed/block-comparer.ts';
import { createTokenMemory } from '../../packages/token/evaluator/token-memory.ts';
import { PLACE_BYTES } from '../../packages/token/shared/kernel/place.ts';
import { encryptBody, type Parties } from '../../packages/token/testing/parties.ts';
import { dotProduct, randomVector, rootMeanSquare, vectorNear } from '../../packages/token/testing/vectors.ts';
import { readCpuMs } from '../shared/figures.ts';
import { time } from './core.ts';
import { shuffle } from './gallery.ts';
import type { Scorer, SearchFigures } from './search.ts';

/** Different blocks that are made; a gallery has many copies of each, in memory of their own. */
const BLOCKS = 16;
/** Blocks of the measurement on one core: more than the caches hold, as in a gallery. */
const MEASURED = 4096;
const CHUNK = 512;

export interface Packed {
  evaluator: Evaluator;
  polynomials: EpochPolynomials;
  /** The mate is the first person of the first. */
  blocks: Uint8Array[];
  probe: FoldedProbe;
  secret: ProbeSecret;
  packServiceMs: number;
  packKeyHolderMs: number;
  foldServiceMs: number;
  foldKeyHolderMs: number;
  errorRms: number;
}

/** Makes blocks of strangers, the mate among them, and folds a probe whose cosine with the mate is 0.8. */
export async function openPacked(parties: Parties, threads: number): Promise<Packed> {
  const { device, enrol, challenge } = parties;
  const evaluator = openEvaluator({ threads, maxBytes: 2 ** 32 });
  const polynomials = await drawForEpoch('epoch-of-the-benchmark');
  const times = { packServiceMs: [] as number[], packKeyHolderMs: [] as number[] };
  const vectors = Array.from({ length: BLOCKS * BLOCK_PEOPLE }, () => randomVector());
  const blocks = Array.from({ length: BLOCKS }, (_, block) => {
    const members = vectors.slice(block * BLOCK_PEOPLE, (block + 1) * BLOCK_PEOPLE);
    const bodies = members.map((vector) => encryptBody(device, vector, enrol));
    const start = performance.now();
    const { masked, unmask } = evaluator.maskForPacking(bodies);
    const sent = performance.now();
    const made = packBlock(masked, enrol.key, polynomials);
    const back = performance.now();
    const whole = unmask(made);
    times.packKeyHolderMs.push(back - sent);
    times.packServiceMs.push(sent - start + performance.now() - back);
    return whole;
  });
  const vector = vectorNear(vectors[0]!, 0.8);
  const body = encryptBody(device, vector, challenge);
  const start = performance.now();
  const { masked, unmask } = evaluator.maskForFolding(body, polynomials);
  const sent = performance.now();
  const { folded, secret } = foldMaskedProbe(masked, challenge.key, polynomials);
  const back = performance.now();
  const probe = unmask(folded);
  const foldServiceMs = sent - start + performance.now() - back;
  const packed = { evaluator, polynomials, blocks, probe, secret, foldServiceMs, foldKeyHolderMs: back - sent };
  const scores = await scoreAll(packed, parties);
  return {
    ...packed,
    packServiceMs: Math.min(...times.packServiceMs),
    packKeyHolderMs: Math.min(...times.packKeyHolderMs),
    errorRms: rootMeanSquare(vectors.map((one, at) => scores[at]! - dotProduct(one, vector))),
  };
}

async function scoreAll(
  {
    evaluator,
    polynomials,
    blocks,
    probe,
    secret,
  }: Pick<Packed, 'evaluator' | 'polynomials' | 'blocks' | 'probe' | 'secret'>,
  { enrol }: Parties,
): Promise<Float64Array> {
  const arena = evaluator.createArena();
  const slots = Uint32Array.from(blocks, (block) => arena.addBlock(block, polynomials.ofProbes));
  const scores = new Float64Array(blocks.length * BLOCK_PEOPLE);
  const counting = new Uint8Array(slots.length).fill(ALL_PLACES);
  await evaluator.compareBlocks(arena, slots, counting, probe, async (rows, from) => {
    scoreBlocks(rows, enrol.key, secret, scores.subarray(from * BLOCK_PEOPLE));
  });
  arena.close();
  return scores;
}

/** Microseconds a person, of each role. */
export function measurePackedCore(packed: Packed, { enrol }: Parties): { evaluator: number; keyHolder: number } {
  const memory = createTokenMemory(1, MEASURED * PLACE_BYTES);
  const comparer = createBlockComparer(memory.parts, memory.areas[0]!);
  const places = Uint32Array.from({ length: MEASURED }, () => memory.take());
  for (const [at, place] of places.entries())
    comparer.place(packed.blocks[at % BLOCKS]!, packed.polynomials.ofProbes, place);
  comparer.setProbe(packed.probe.values);
  const counting = new Uint8Array(CHUNK).fill(ALL_PLACES);
  const bytes = new Uint8Array(new SharedArrayBuffer(CHUNK * BLOCK_ROW_BYTES));
  const scores = new Float64Array(CHUNK * BLOCK_PEOPLE);
  const rows: BlindedBlocks = { count: CHUNK, bytes, common: packed.probe.common };
  let from = 0;
  const evaluator = time(() => {
    comparer.compare(places.subarray(from, from + CHUNK), counting, bytes);
    from = (from + CHUNK) % MEASURED;
  });
  const keyHolder = time(() => scoreBlocks(rows, enrol.key, packed.secret, scores));
  return { evaluator: evaluator / (CHUNK * BLOCK_PEOPLE), keyHolder: keyHolder / (CHUNK * BLOCK_PEOPLE) };
}

export interface PackedGallery {
  arena: TokenArena;
  slots: Uint32Array;
  mateSlot: number;
  microsEach: number;
}

export function fillPacked({ evaluator, polynomials, blocks }: Packed, people: number): PackedGallery {
  const arena = evaluator.createArena();
  const start = performance.now();
  const slots = Uint32Array.from({ length: people / BLOCK_PEOPLE }, (_, at) =>
    // The first is the mate's and there once.
    arena.addBlock(blocks[at === 0 ? 0 : 1 + (at % (BLOCKS - 1))]!, polynomials.ofProbes),
  );
  const microsEach = ((performance.now() - start) * 1000) / people;
  const mateSlot = slots[0]!;
  return { arena, slots, mateSlot, microsEach };
}

export async function searchPacked(
  packed: Packed,
  gallery: PackedGallery,
  scorer: Scorer,
  times: number,
): Promise<SearchFigures> {
  const figures: SearchFigures = { wallMs: [], cpuMs: [], found: 0 };
  const { arena, slots, mateSlot } = gallery;
  const counting = new Uint8Array(slots.length).fill(ALL_PLACES);
  for (let round = 0; round < times; round++) {
    shuffle(slots);
    const cpu = readCpuMs();
    const start = performance.now();
    await packed.evaluator.compareBlocks(arena, slots, counting, packed.probe, (rows, from) =>
      scorer.take(rows, from * BLOCK_PEOPLE),
    );
    const { best, score } = await scorer.finish();
    figures.wallMs.push(performance.now() - start);
    figures.cpuMs.push(readCpuMs() - cpu);
    if (slots[Math.floor(best / BLOCK_PEOPLE)] === mateSlot && Math.abs(score - 0.8) < 0.026) figures.found += 1;
  }
  return figures;
}
