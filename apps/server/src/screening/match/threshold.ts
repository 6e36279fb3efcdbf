// Minimum score of a match.
import { SCORE_THRESHOLD_DEFAULT } from '@limen/contract';
import { CANDIDATE_FLOOR } from '@limen/screening';
import { invalid } from '../../platform/base/errors.ts';
import { readPlainDecimal } from '../../platform/text/plain-numbers.ts';

/** `query`: as parsed by Fastify. A repeated parameter is a list. */
export function readThreshold(query: unknown): number {
  const { scoreThreshold: value, ...others } = (query ?? {}) as { scoreThreshold?: unknown };
  if (Object.keys(others).some(isMeantForThreshold)) {
    throw invalid('query', 'has a threshold under another name; send scoreThreshold once, spelt exactly like that');
  }
  if (value === undefined) return SCORE_THRESHOLD_DEFAULT;
  const threshold = typeof value === 'string' ? readPlainDecimal(value) : undefined;
  if (threshold === undefined || threshold > 1) {
    throw invalid('query.scoreThreshold', `must be one number from 0 to 1, such as ${SCORE_THRESHOLD_DEFAULT}`);
  }
  return threshold;
}

/** Returns whether a parameter is a misspelled threshold. Ignoring it would hide matches. */
function isMeantForThreshold(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  return letters !== '' && /^(?:min)?(?:match)?(?:score)?(?:treshold|threshold|thresh)?$/.test(letters);
}

/** Raises a threshold to the floor, below which there are no candidates. */
export function effectiveThreshold(threshold: number): number {
  return Math.max(threshold, CANDIDATE_FLOOR);
}
