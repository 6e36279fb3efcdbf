import { AGE_BOUND } from '@limen/plan';
import { expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { ageBoundSettings } from './settings.ts';

it("sends a plan's thresholds only if a setting differs from the page's default", () => {
  expect(ageBoundSettings(loadConfig({}))).toBeUndefined();
  const { spread, mirror } = AGE_BOUND;
  expect(ageBoundSettings(loadConfig({ AGE_BOUND_YEARS: '2.5' }))).toEqual({ spread, mirror, years: 2.5 });
  expect(ageBoundSettings(loadConfig({ AGE_BOUND_SPREAD: '1', AGE_BOUND_MIRROR: '0' }))).toEqual({
    spread: 1,
    mirror: 0,
    years: 0,
  });
});
