// Simulates readings of a recognizer with uncertain and wrong scores.
import { ZONE_CHARACTERS } from '../src/mrz/grammar.ts';
import type { ZoneReading } from '../src/zone/read-group.ts';

const KINDS = ZONE_CHARACTERS.length;
/** Similar shapes in OCR-B once blurred. */
const LOOKALIKES = ['0ODQ', '1IL7T', '2Z', '5S6', '8B3', '6G', 'MNHW', 'UVY', 'KX<', 'EFP', 'C<G', '49A'];

export interface Noise {
  /** Lead of the true character in log scores. */
  clarity: number;
  /** Variation of the lead between characters and frames. */
  spread: number;
  /** Share of characters that look like another in all frames, by dirt, print or glare. */
  lookalikes: number;
  /** Clarity of such another character: 1 equals the true one, more wins. */
  deceit: number;
}

export type Random = () => number;

/** Mulberry32, deterministic by seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates frames of one document under constant conditions. */
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
  const candidates = group.replace(character, '');
  return candidates[Math.floor(random() * candidates.length)]!;
}

/** Approximates a normal distribution with deviation 1, fast, because tests draw millions. */
function drawNormal(random: Random): number {
  return 2 * (random() + random() + random() - 1.5);
}
