// Accuracy of the recognizer on unseen drawn lines, by quality.
import { CLASSES, COLUMNS, LINE_HEIGHT, LINE_WIDTH } from '../../packages/documents/src/zone/alphabet.ts';
import { guessLength, readLine } from '../../packages/documents/src/zone/read-line.ts';
import { drawWhole } from './draw-whole.ts';
import type { Glyphs } from './glyphs.ts';
import { createKernel } from './kernel.ts';
import { createTrainableNetwork, PADDED_CLASSES } from './network.ts';
import { createRandom } from './random.ts';

export interface Measurement {
  strength: number;
  lines: number;
  /** Shares of wrong characters, of perfect lines, and of lines with guessed length. */
  characterErrors: number;
  exactLines: number;
  rightLengths: number;
  /** Most frequent errors: actual, read, count. */
  mistakes: string[];
}

export const STRENGTHS = [0.1, 0.3, 0.5, 0.7, 0.85, 1] as const;

/** Runs a line through the recognizer: ink in, raw logits out. */
export type RunLine = (ink: Float32Array) => Float32Array | Promise<Float32Array>;

export function createRunner(module: Uint8Array, parameters: Float32Array): (ink: Float32Array) => Float32Array {
  const network = createTrainableNetwork(createKernel(module, 64_000_000), LINE_WIDTH);
  network.parameters.set(parameters);
  return (ink) => {
    const padded = network.forward(ink);
    const logits = new Float32Array(CLASSES * COLUMNS);
    for (let column = 0; column < COLUMNS; column += 1)
      for (let index = 0; index < CLASSES; index += 1)
        logits[index * COLUMNS + column] = padded[column * PADDED_CLASSES + index]!;
    return logits;
  };
}

export async function measure(
  run: RunLine,
  faces: readonly Glyphs[],
  { strength, lines, seed }: { strength: number; lines: number; seed: number },
): Promise<Measurement> {
  let characters = 0;
  let wrong = 0;
  let exact = 0;
  let guessed = 0;
  const mistakes = new Map<string, number>();
  for (let index = 0; index < lines; index += 1) {
    const { ink, text, length } = drawWhole(createRandom(seed, index), faces, strength);
    const data = Uint8Array.from(ink, (value) => Math.round(255 * (1 - value)));
    const logits = await run(ink);
    const read = readLine({ width: LINE_WIDTH, height: LINE_HEIGHT, data }, length, logits)?.text ?? '';
    if (guessLength(logits) === length) guessed += 1;
    if (read === text) exact += 1;
    characters += length;
    for (let at = 0; at < length; at += 1) {
      if (read[at] === text[at]) continue;
      wrong += 1;
      const mistake = `${text[at]} as ${read[at] ?? 'nothing'}`;
      mistakes.set(mistake, (mistakes.get(mistake) ?? 0) + 1);
    }
  }
  const commonest = [...mistakes].sort((a, b) => b[1] - a[1]).slice(0, 6);
  return {
    strength,
    lines,
    characterErrors: wrong / characters,
    exactLines: exact / lines,
    rightLengths: guessed / lines,
    mistakes: commonest.map(([mistake, count]) => `${mistake} ${count}`),
  };
}

export function formatTable(measurements: readonly Measurement[]): string {
  const share = (value: number, digits: number) => `${(100 * value).toFixed(digits)} %`;
  return [
    '| strength | lines | characters wrong | lines exact | lengths right | commonest mistakes |',
    '|---|---|---|---|---|---|',
    ...measurements.map(
      ({ strength, lines, characterErrors, exactLines, rightLengths, mistakes }) =>
        `| ${strength} | ${lines} | ${share(characterErrors, 2)} | ${share(exactLines, 1)} | ${share(rightLengths, 1)} | ${mistakes.join(', ')} |`,
    ),
  ].join('\n');
}
