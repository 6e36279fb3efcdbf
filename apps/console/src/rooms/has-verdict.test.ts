// A recommendation is shown only for sessions with an outcome.
import { expect, it } from 'vitest';
import { hasVerdict } from './has-verdict.ts';

const risk = { score: 40, level: 'MEDIUM' as const, recommendation: 'REVIEW' as const, flags: [] };

it.each([
  ['completed', true],
  ['cancelled', false],
  ['expired', false],
  ['capturing', false],
] as const)('a session that is %s: %s', (state, isShown) => {
  expect(hasVerdict({ state, risk })).toBe(isShown);
  expect(hasVerdict({ state, risk: null })).toBe(false);
});
