// Readings of a zone as a recogniser would give them: scores that are unsure in places, and wrong in some.
import { ZONE_CHARACTERS } from '../src/mrz/grammar.ts';
import type { ZoneReading } from '../src/zone/read-group.ts';

const KINDS = ZONE_CHARACTERS.length;
/** What is taken for what in OCR-B: shapes that differ little once they are blurred. */
const LOOKALIKES = ['0ODQ', '1IL7T', '2Z', '5S6', '8B3', '6G', 'MNHW', 'UVY', 'KX<', 'EFP', 'C<G', '49A'];

export interface Noise {
  /** How far the true character is ahead of all others, in natural logarithms of the scores. */
  clarity: number;
  /** By how much that differs from one character, and from one frame, to the next. */
  spread: number;
  /** How many of the characters look like another in all frames alike: dirt, print, glare. */
  lookalikes: number;
  /** How much of the clarity such another character has: 1 is as good as the true one, above it wins. */
  deceit: number;
}

export type Random = () => number;

/** Mulberry32: the same numbers from the same seed, everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Frame after frame of one document under the same conditions. */
export function createNoisyReadings(lines: readonly string[], noise: Noise, random: Random): () => ZoneReading {
  const deceivers = lines.map((line) =>
    [...line].map((character) => (random() < noise.lookalikes ? pickLookalike(character, random) : null)),
  );
  const strengths = lines.map((line) => [...line].map(() => noise.deceit * (0.5 + random())));
  return () => ({
    lines: lines.map((line, row) => {
      const scores = new Float32Array(line.length * KINDS);
      let text = '';
      for (let at = 0; at < line.length; at += 1) {
        const logits = Array.from({ length: KINDS }, () => drawNormal(random) * noise.spread * 0.5);
        const clarity = Math.max(0, noise.clarity + drawNormal(random) * noise.spread);
        logits[ZONE_CHARACTERS.indexOf(line[at]!)]! += clarity;
        const deceiver = deceivers[row]![at];
        if (deceiver) logits[ZONE_CHARACTERS.indexOf(deceiver)]! += noise.clarity * strengths[row]![at]!;
        const shares = logits.map(Math.exp);
        const sum = shares.reduce((total, share) => total + share, 0);
        for (let kind = 0; kind < KINDS; kind += 1) scores[at * KINDS + kind] = shares[kind]! / sum;
        text += ZONE_CHARACTERS[logits.indexOf(Math.max(...logits))];
      }
      return { text, scores };
    }),
  });
}

function pickLookalike(character: string, random: Random): string {
  const group = LOOKALIKES.find((letters) => letters.includes(character)) ?? ZONE_CHARACTERS;
  const others = group.replace(character, '');
  return others[Math.floor(random() * others.length)]!;
}

/** Near enough to the normal distribution, with a standard deviation of one, and quick: tests draw millions. */
function drawNormal(random: Random): number {
  return 2 * (random() + random() + random() - 1.5);
}
