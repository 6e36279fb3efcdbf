// Test blocks and folded probes, as created jointly by the service and the key-holder.
import { Evaluator, type FoldedProbe, type TokenArena } from '../evaluator/index.ts';
import { foldMaskedProbe, type ProbeSecret, packBlock, scoreBlocks } from '../keyholder/index.ts';
import { ALL_PLACES, BLOCK_PEOPLE, type BlindedBlocks, drawForEpoch, type EpochPolynomials } from '../shared/index.ts';
import type { Party } from './parties.ts';

export const EPOCH = 'epoch-of-tests-0000000';

export interface Packer {
  evaluator: Evaluator;
  arena: TokenArena;
  polynomials: EpochPolynomials;
  /** A block of four tokens, as stored. */
  pack(bodies: readonly Uint8Array[], enroll: Party): Uint8Array;
  fold(probe: Uint8Array, challenge: Party): Folded;
  /** Scores of all people in the blocks. */
  score(blocks: readonly Uint8Array[], folded: Folded, enroll: Party): Promise<Float64Array>;
  close(): Promise<void>;
}

export interface Folded {
  probe: FoldedProbe;
  secret: ProbeSecret;
}

export async function openPacker(): Promise<Packer> {
  const evaluator = new Evaluator({ threads: 1, maxBytes: 2 ** 24 });
  const arena = evaluator.createArena();
  const polynomials = await drawForEpoch(EPOCH);

  return {
    evaluator,
    arena,
    polynomials,
    pack(bodies, enroll) {
      const { masked, unmask } = evaluator.maskForPacking(bodies);
      return unmask(packBlock(masked, enroll.key, polynomials));
    },
    fold(probe, challenge) {
      const { masked, unmask } = evaluator.maskForFolding(probe, polynomials);
      const { folded, secret } = foldMaskedProbe(masked, challenge.key, polynomials);
      return { probe: unmask(folded), secret };
    },
    async score(blocks, { probe, secret }, enroll) {
      const slots = Uint32Array.from(blocks, (block) => arena.addBlock(block, polynomials.ofProbes));
      const scores = new Float64Array(BLOCK_PEOPLE * blocks.length);
      const counting = new Uint8Array(slots.length).fill(ALL_PLACES);
      await evaluator.compareBlocks(arena, slots, counting, probe, async (rows: BlindedBlocks, from) => {
        scoreBlocks(rows, enroll.key, secret, scores.subarray(BLOCK_PEOPLE * from));
      });
      for (const slot of slots) arena.remove(slot);
      return scores;
    },
    close: () => evaluator.close(),
  };
}
