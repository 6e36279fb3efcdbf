// The log of all attempts with light must fit into an answer, so that repeated interruptions do not
// prevent it.
import { COLORS_PER_ATTEMPT, LIGHT_ATTEMPTS, type LogEntry } from '@limen/plan';
import { expect, it } from 'vitest';
import { ANSWER_MAX_BYTES } from './answer.ts';

const MINUTE = 60_000;
/** Number of movements that the service draws. */
const MOVEMENTS = 3;

it('fits the longest log of a check with light and all signs of a browser', () => {
  const log: LogEntry[] = [];
  // Late in a long session, so that times have many digits.
  let at = 25 * MINUTE;
  const add = (event: LogEntry[0], index: number, ms: number) => {
    at += ms;
    log.push([event, index, at]);
  };
  for (let attempt = 0; attempt < LIGHT_ATTEMPTS; attempt += 1) {
    add(attempt === 0 ? 'started' : 'retried', 0, 2_000);
    for (let movement = 0; movement < MOVEMENTS; movement += 1) {
      add('shown', movement, 900);
      add('done', movement, 3_000);
      if (movement === 0) add('asked', 0, 10);
      if (movement === 0) add('answered', 0, 40);
    }
    for (let color = 0; color < COLORS_PER_ATTEMPT; color += 1) add('lit', attempt * COLORS_PER_ATTEMPT + color, 500);
  }
  add('finished', 0, 500);
  const answer = {
    version: 1,
    sessionId: '00000000-0000-4000-8000-000000000000',
    nonce: 'n'.repeat(22),
    face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', light: 'lit' },
    indicators: { headless: ['webdriver', 'userAgent'], virtualCamera: ['name'], browserAnomalies: [] },
    log,
  };
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(ANSWER_MAX_BYTES);
});
