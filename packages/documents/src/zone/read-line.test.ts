// Reads lines from synthetic recognizer outputs: positions, lengths and scores.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ZONE_CHARACTERS } from '../mrz/grammar.ts';
import { BETWEEN, CLASSES, COLUMN_WIDTH, COLUMNS, LINE_HEIGHT, LINE_WIDTH, MAX_PITCH, MIN_PITCH } from './alphabet.ts';
import { guessLength, readLine } from './read-line.ts';

const LINE = '7408122F1204159UTO<<<<<<<<<<<6';
const line = { width: LINE_WIDTH, height: LINE_HEIGHT, data: new Uint8Array(LINE_HEIGHT * LINE_WIDTH).fill(250, 40) };

interface Placing {
  start?: number;
  pitch?: number;
  /** Relative growth from the first to the last step. */
  stretch?: number;
}

/** Creates logits of a confident recognizer around each character's middle. */
function makeLogits(text: string, { start = 20, pitch = 20.3, stretch = 0 }: Placing = {}): Float32Array {
  const logits = new Float32Array(CLASSES * COLUMNS);
  for (let column = 0; column < COLUMNS; column += 1) {
    const along = ((column + 0.5) * COLUMN_WIDTH - start) / pitch;
    const at = along * (1 - (stretch * along) / (2 * text.length));
    const isInside = at >= 0 && at < text.length && Math.abs((at % 1) - 0.5) < 0.32;
    const label = isInside ? ZONE_CHARACTERS.indexOf(text[Math.floor(at)]!) : BETWEEN;
    logits[label * COLUMNS + column] = 6;
  }
  return logits;
}

/** Overwrites the columns between two pixels. */
function see(logits: Float32Array, from: number, to: number, label: number): void {
  for (let column = Math.ceil(from / COLUMN_WIDTH); column < to / COLUMN_WIDTH; column += 1)
    for (let index = 0; index < CLASSES; index += 1) logits[index * COLUMNS + column] = index === label ? 6 : 0;
}

const zoneText = (length: number) =>
  fc
    .array(fc.constantFrom(...ZONE_CHARACTERS), { minLength: length, maxLength: length })
    .map((characters) => characters.join(''));

describe('a line', () => {
  test('is read with any text, pitch and start, and its length is guessed', () => {
    const anything = fc.constantFrom(30, 36, 44 as const).chain((length) => {
      const mostPitch = Math.min(MAX_PITCH, (LINE_WIDTH - 70) / length);
      return fc.record({
        text: zoneText(length),
        start: fc.double({ min: 4, max: 60, noNaN: true }),
        pitch: fc.double({ min: MIN_PITCH, max: mostPitch, noNaN: true }),
      });
    });
    fc.assert(
      fc.property(anything, ({ text, start, pitch }) => {
        const logits = makeLogits(text, { start, pitch });
        expect(readLine(line, text.length as 30, logits)?.text).toBe(text);
        expect(guessLength(logits)).toBe(text.length);
      }),
      { numRuns: 15 },
    );
  });

  test.each([-0.12, 0.12])('is read if its steps grow by %f', (stretch) => {
    expect(readLine(line, 30, makeLogits(LINE, { stretch }))?.text).toBe(LINE);
  });

  test('keeps the other positions if a character is invisible', () => {
    const logits = makeLogits(LINE);
    see(logits, 20 + 10 * 20.3, 20 + 12 * 20.3, BETWEEN);
    const reading = readLine(line, 30, logits)!;
    expect(reading.text.slice(0, 10) + reading.text.slice(12)).toBe(LINE.slice(0, 10) + LINE.slice(12));
    expect(guessLength(logits)).toBe(30);
  });

  test('keeps the other positions if a character is seen twice', () => {
    const logits = makeLogits(LINE);
    see(logits, 20 + 9.8 * 20.3, 20 + 10.2 * 20.3, 5);
    const reading = readLine(line, 30, logits)!;
    expect(reading.text.slice(0, 9) + reading.text.slice(11)).toBe(LINE.slice(0, 9) + LINE.slice(11));
    expect(guessLength(logits)).toBe(30);
  });

  test('is read from its own start next to a stray stroke', () => {
    const logits = makeLogits(LINE, { start: 60 });
    see(logits, 4, 12, 1);
    expect(readLine(line, 30, logits)?.text).toBe(LINE);
  });
});

describe('scores', () => {
  test('are probabilities, one set per character', () => {
    const { scores } = readLine(line, 30, makeLogits(LINE))!;
    expect(scores).toHaveLength(30 * BETWEEN);
    for (let index = 0; index < 30; index += 1) {
      const own = scores.subarray(index * BETWEEN, (index + 1) * BETWEEN);
      expect(own.reduce((sum, score) => sum + score)).toBeCloseTo(1, 4);
      expect(own[ZONE_CHARACTERS.indexOf(LINE[index]!)]).toBeGreaterThan(0.8);
    }
  });

  test('are about equal for an invisible character', () => {
    const logits = makeLogits(LINE);
    see(logits, 20 + 10 * 20.3, 20 + 11 * 20.3, BETWEEN);
    const own = readLine(line, 30, logits)!.scores.subarray(10 * BETWEEN, 11 * BETWEEN);
    expect(Math.max(...own)).toBeLessThan(0.1);
  });
});

describe('no line', () => {
  test('is read without ink', () => {
    const white = { ...line, data: new Uint8Array(line.data.length).fill(250) };
    expect(readLine(white, 30, makeLogits(LINE))).toBeNull();
  });

  test('is read if the recognizer sees nothing', () => {
    const logits = makeLogits('');
    expect(readLine(line, 44, logits)).toBeNull();
    expect(guessLength(logits)).toBeNull();
  });

  test('is read for a few isolated characters', () => {
    const logits = makeLogits('LIMEN');
    expect(readLine(line, 30, logits)).toBeNull();
    expect(guessLength(logits)).toBeNull();
  });
});
