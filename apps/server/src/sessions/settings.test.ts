// What the settings say to single parts.
import { AGE_BOUND } from '@limen/plan';
import { expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { ageBoundSettings } from './settings.ts';

it('a plan says how careful to be only where a setting has another mind than every page', () => {
  expect(ageBoundSettings(loadConfig({}))).toBeUndefined();
  const { spread, mirror } = AGE_BOUND;
  expect(ageBoundSettings(loadConfig({ AGE_BOUND_YEARS: '2.5' }))).toEqual({ spread, mirror, years: 2.5 });
  expect(ageBoundSettings(loadConfig({ AGE_BOUND_SPREAD: '1', AGE_BOUND_MIRROR: '0' }))).toEqual({
    spread: 1,
    mirror: 0,
    years: 0,
  });
});
