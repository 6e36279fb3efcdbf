// Honest step logs have enough entropy that two people are not mistaken for one.
import { type LogEntry, measureLog } from '@limen/plan';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundRhythm } from '../finished-checks.ts';

const PEOPLE = 20_000;
const FRAME_MS = 1_000 / 30;

type Random = () => number;

/** Seeded, so that the figures below are the same in every run. */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Shortest honest course: three movements without light. Reaction times are lognormal around 0.9 s.
 * Movements are noticed at 30 frames a second and recorded up to 6 ms later, after the analysis.
 */
function honestLog(random: Random, lit = false): LogEntry[] {
  const log: LogEntry[] = [];
  let at = 0;
  const add = (event: LogEntry[0], index: number, ms: number) => {
    at = Math.ceil((at + ms) / FRAME_MS) * FRAME_MS;
    log.push([event, index, Math.round(at + random() * 6)]);
  };
  add('started', 0, 0);
  for (const index of [0, 1, 2]) {
    add('shown', index, index === 0 ? 1_200 * Math.exp(normal(random) * 0.5) : 500);
    add('done', index, 900 * Math.exp(normal(random) * 0.35));
  }
  if (lit) for (const index of [0, 1, 2, 3, 4, 5]) add('lit', index, 450);
  add('finished', 0, 400 + random() * 300);
  return log;
}

const roundedOf = (log: readonly LogEntry[]) => roundRhythm(measureLog(log).rhythm);

describe('the rhythms of honest people', () => {
  const random = createRandom(42);
  const rhythms = Array.from({ length: PEOPLE }, () => roundedOf(honestLog(random, random() < 0.5))!);

  it('are all different, with and without light', () => {
    expect(new Set(rhythms).size).toBe(PEOPLE);
  });

  it('contain at least 33 bits: one false alarm in eight billion pairs', () => {
    const columns = rhythms.map((rhythm) => rhythm.split(','));
    // Rényi's collision entropy of each difference; the differences are independent.
    const bits = columns[0]!.map((_, column) => {
      const counts = new Map<string, number>();
      for (const row of columns) counts.set(row[column]!, (counts.get(row[column]!) ?? 0) + 1);
      const pairs = [...counts.values()].reduce((sum, count) => sum + count * (count - 1), 0);
      return -Math.log2(pairs / (PEOPLE * (PEOPLE - 1)));
    });
    expect(bits.reduce((sum, value) => sum + value, 0)).toBeGreaterThan(33);
  });

  it('are empty if there is too little to tell people apart', () => {
    const document: LogEntry[] = [
      ['started', 0, 0],
      ['finished', 0, 9_000],
    ];
    expect(roundedOf(document)).toBeUndefined();
    expect(roundedOf(honestLog(random).slice(0, 5))).toBeUndefined();
    expect(roundedOf([])).toBeUndefined();
  });
});

describe('a repeated log', () => {
  const log = honestLog(createRandom(7));
  const known = roundedOf(log);

  it('is recognized from any start', () => {
    fc.assert(
      fc.property(fc.nat(600_000), (laterMs) => {
        expect(roundedOf(log.map(([event, index, at]) => [event, index, at + laterMs]))).toBe(known);
      }),
    );
  });

  it('is recognized after an undone attempt and with other light', () => {
    const from = 20_000;
    const later = log.slice(1).map(([event, index, at]): LogEntry => [event, index, at + from - log[0]![2]]);
    expect(roundedOf([...log.slice(0, 4), ['retried', 0, from], ...later])).toBe(known);
    const lit = log.flatMap(([event, index, at]): LogEntry[] =>
      event === 'finished'
        ? [
            ['lit', 0, at],
            [event, index, at + 2_880],
          ]
        : [[event, index, at]],
    );
    expect(roundedOf(lit)).toBe(known);
  });

  it('is recognized in some copies whose times were moved by a millisecond', () => {
    const random = createRandom(9);
    const seen = new Set<string | undefined>([known]);
    let recognized = 0;
    for (let copy = 0; copy < 100; copy += 1) {
      const moved = roundedOf(log.map(([event, index, at]) => [event, index, at + Math.round(random() * 2 - 1)]));
      if (seen.has(moved)) recognized += 1;
      seen.add(moved);
    }
    expect(recognized).toBeGreaterThan(5);
  });
});
