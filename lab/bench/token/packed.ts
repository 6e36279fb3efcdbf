// Blocks of four people in the token benchmark: one core in both roles, and searches by threads of
// each.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Evaluator, type FoldedProbe, type TokenArena } from '@limen/token/evaluator';
import { foldMaskedProbe, type ProbeSecret, packBlock, scoreBlocks } from '@limen/token/keyholder';
import {
  ALL_PLACES,
  BLOCK_PEOPLE,
  BLOCK_ROW_BYTES,
  type BlindedBlocks,
  countPlaces,
  drawForEpoch,
  type EpochPolynomials,
} from '@limen/token/shared';
import type { GalleryRow } from '../../../apps/server/src/faces/galleries/store/galleries.ts';
import type { KeyHolder } from '../../../apps/server/src/faces/keyholder/link/calls.ts';
import type { TokenParts } from '../../../apps/server/src/faces/tokens/parts.ts';
import { createHeldSlots, type SlotGroups } from '../../../apps/server/src/faces/tokens/search/held-slots.ts';
import { createTokenSearch, createTokenSource } from '../../../apps/server/src/faces/tokens/search/search.ts';
import type { PersonId } from '../../../apps/server/src/platform/base/ids.ts';
import { createBlockComparer } from '../../../packages/token/evaluator/packed/block-comparer.ts';
import { createTokenMemory } from '../../../packages/token/evaluator/token-memory.ts';
import { PLACE_BYTES } from '../../../packages/token/shared/kernel/factor.ts';
import { encryptBody, type Parties } from '../../../packages/token/testing/parties.ts';
import { dotProduct, randomVector, rootMeanSquare, vectorNear } from '../../../packages/token/testing/vectors.ts';
import { readCpuMs } from '../shared/figures.ts';
import { time } from './core.ts';
import type { Scorer, SearchFigures } from './search.ts';

/** Number of different blocks. A gallery has many copies of each, in separate memory. */
const BLOCKS = 16;
/** Number of blocks measured on one core: more than the caches hold, as in a gallery. */
const MEASURED = 4096;
const CHUNK = 512;

export interface Packed {
  evaluator: Evaluator;
  polynomials: EpochPolynomials;
  /** The mate is the first person of the first block. */
  blocks: Uint8Array[];
  /** Plain probe, as sent by the device. */
  body: Uint8Array;
  probe: FoldedProbe;
  secret: ProbeSecret;
  packServiceMs: number;
  packKeyHolderMs: number;
  foldServiceMs: number;
  foldKeyHolderMs: number;
  errorRms: number;
}

/** Creates blocks of strangers and the mate, and folds a probe with a cosine of 0.8 to the mate. */
export async function openPacked(parties: Parties, threads: number): Promise<Packed> {
  const { device, enrol: enroll, challenge } = parties;
  const evaluator = new Evaluator({ threads, maxBytes: 2 ** 32 });
  const polynomials = await drawForEpoch(EPOCH);
  const times = { packServiceMs: [] as number[], packKeyHolderMs: [] as number[] };
  const vectors = Array.from({ length: BLOCKS * BLOCK_PEOPLE }, () => randomVector());
  const blocks = Array.from({ length: BLOCKS }, (_, block) => {
    const members = vectors.slice(block * BLOCK_PEOPLE, (block + 1) * BLOCK_PEOPLE);
    const bodies = members.map((vector) => encryptBody(device, vector, enroll));
    const start = performance.now();
    const { masked, unmask } = evaluator.maskForPacking(bodies);
    const sent = performance.now();
    const made = packBlock(masked, enroll.key, polynomials);
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
  const packed = { evaluator, polynomials, blocks, body, probe, secret, foldServiceMs, foldKeyHolderMs: back - sent };
  const scores = await scoreAll(packed, parties);
  return {
    ...packed,
    packServiceMs: Math.min(...times.packServiceMs),
    packKeyHolderMs: Math.min(...times.packKeyHolderMs),
    errorRms: rootMeanSquare(vectors.map((stranger, at) => scores[at]! - dotProduct(stranger, vector))),
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
  { enrol: enroll }: Parties,
): Promise<Float64Array> {
  const arena = evaluator.createArena();
  const slots = Uint32Array.from(blocks, (block) => arena.addBlock(block, polynomials.ofProbes));
  const scores = new Float64Array(blocks.length * BLOCK_PEOPLE);
  const counting = new Uint8Array(slots.length).fill(ALL_PLACES);
  await evaluator.compareBlocks(arena, slots, counting, probe, async (rows, from) => {
    scoreBlocks(rows, enroll.key, secret, scores.subarray(from * BLOCK_PEOPLE));
  });
  arena.close();
  return scores;
}

/** Microseconds per person and role. */
export function measurePackedCore(
  packed: Packed,
  { enrol: enroll }: Parties,
): { evaluator: number; keyHolder: number } {
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
  const keyHolder = time(() => scoreBlocks(rows, enroll.key, packed.secret, scores));
  return { evaluator: evaluator / (CHUNK * BLOCK_PEOPLE), keyHolder: keyHolder / (CHUNK * BLOCK_PEOPLE) };
}

export interface PackedGallery {
  arena: TokenArena;
  held: SlotGroups;
  microsEach: number;
}

const EPOCH = 'epoch-of-the-benchmark';
const MATE = 'mate' as PersonId;

export function fillPacked({ evaluator, polynomials, blocks }: Packed, people: number): PackedGallery {
  const arena = evaluator.createArena();
  const start = performance.now();
  const slots = Uint32Array.from({ length: people / BLOCK_PEOPLE }, (_, at) =>
    // The first is the mate's and occurs once.
    arena.addBlock(blocks[at === 0 ? 0 : 1 + (at % (BLOCKS - 1))]!, polynomials.ofProbes),
  );
  const microsEach = ((performance.now() - start) * 1000) / people;
  const held = createHeldSlots();
  for (const [at, slot] of slots.entries()) {
    for (let place = 0; place < BLOCK_PEOPLE; place++) {
      const personId = at + place === 0 ? MATE : (`${at} ${place}` as PersonId);
      held.add({ slot, place, epoch: EPOCH, personId });
    }
  }
  return { arena, held, microsEach };
}

/** Through the service's search, from its memory to the person named by the key-holder. */
export async function searchPacked(
  packed: Packed,
  { arena, held }: PackedGallery,
  scorer: Scorer,
  times: number,
): Promise<SearchFigures & { longestTurnMs: number }> {
  const figures: SearchFigures = { wallMs: [], cpuMs: [], found: 0 };
  const { evaluator, polynomials, body } = packed;
  const row = { id: 'gallery', version: 1 } as GalleryRow;
  let [taken, score] = [0, 0];
  const parts = {
    ...{ evaluator, polynomialsOf: async () => polynomials, people: { listVersions: async () => [row] } },
    keyHolder: {
      fold: (_challenge: string, _epoch: string, masked: Uint8Array) => scorer.fold(masked, polynomials),
      async blocks(_challenge: string, _epoch: string, chunk: BlindedBlocks) {
        const from = taken;
        taken += countPlaces(chunk);
        await scorer.take(chunk, from);
      },
      async finish() {
        const reply = await scorer.finish();
        score = reply.score;
        return reply;
      },
    } as unknown as KeyHolder,
  } as unknown as TokenParts;
  const memory = { open: async () => ({ arena, slots: held, list: () => [], close() {} }) };
  const beginSearch = createTokenSearch(parts, createTokenSource(parts, memory));
  const turns = monitorEventLoopDelay({ resolution: 1 });
  turns.enable();
  for (let round = 0; round < times; round++) {
    taken = 0;
    const cpu = readCpuMs();
    const start = performance.now();
    const search = beginSearch('challenge', body);
    await search.cover(row);
    const found = await search.finish();
    figures.wallMs.push(performance.now() - start);
    figures.cpuMs.push(readCpuMs() - cpu);
    if (found === MATE && Math.abs(score - 0.8) < 0.026) figures.found += 1;
  }
  turns.disable();
  return { ...figures, longestTurnMs: turns.max / 1e6 };
}
