// One-to-many searches of the token benchmark: the evaluator's threads and a key-holder's thread,
// as in the service.
import { Worker } from 'node:worker_threads';
import { Evaluator, type TokenArena } from '@limen/token/evaluator';
import type { BlindedBlocks, BlindedRows, EpochPolynomials } from '@limen/token/shared';
import { readCpuMs } from '../shared/figures.ts';
import { shuffle } from './gallery.ts';
import type { ScorerOrder, ScorerReply, ScorerSetup } from './scorer.ts';

export interface SearchFigures {
  wallMs: number[];
  /** CPU time of both roles together. */
  cpuMs: number[];
  found: number;
}

export interface SearchParts {
  evaluator: Evaluator;
  arena: TokenArena;
  slots: Uint32Array;
  mateSlot: number;
  probe: Uint8Array;
  scorer: Scorer;
}

export interface Scorer {
  take(rows: BlindedRows | BlindedBlocks, from: number): Promise<void>;
  fold(masked: Uint8Array, polynomials: EpochPolynomials): Promise<Uint8Array>;
  finish(): Promise<{ best: number; score: number }>;
  close(): Promise<number>;
}

export function openScorer(setup: ScorerSetup): Scorer {
  const worker = new Worker(new URL('./scorer.ts', import.meta.url), { workerData: setup });
  const ask = (order: ScorerOrder) =>
    new Promise<ScorerReply>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (reply: ScorerReply) => {
        worker.off('error', reject);
        resolve(reply);
      });
      worker.postMessage(order);
    });
  return {
    take: async (rows, from) => void (await ask({ rows, from })),
    async fold(masked, polynomials) {
      const reply = await ask({ masked, polynomials });
      if (reply === 'taken' || !('folded' in reply)) throw outOfTurn();
      return reply.folded;
    },
    async finish() {
      const reply = await ask('finish');
      if (reply === 'taken' || !('best' in reply)) throw outOfTurn();
      return reply;
    },
    close: () => worker.terminate(),
  };
}

function outOfTurn(): Error {
  return new Error('The key-holder answered out of turn');
}

export function openForSearch(): Evaluator {
  return new Evaluator({ threads: 2 });
}

export async function searchOften(parts: SearchParts, times: number): Promise<SearchFigures> {
  const figures: SearchFigures = { wallMs: [], cpuMs: [], found: 0 };
  const { evaluator, arena, slots, mateSlot, probe, scorer } = parts;
  for (let time = 0; time < times; time++) {
    shuffle(slots);
    const cpu = readCpuMs();
    const start = performance.now();
    await evaluator.compareMany(arena, slots, probe, scorer.take);
    const { best, score } = await scorer.finish();
    figures.wallMs.push(performance.now() - start);
    figures.cpuMs.push(readCpuMs() - cpu);
    if (slots[best] === mateSlot && Math.abs(score - 0.8) < 0.02) figures.found += 1;
  }
  return figures;
}
