// Valid reports of the light, and the spoof decision.
import { LIGHT_FINDINGS, type LightCourse, type LightPlan } from '@limen/plan';
import { expect, it } from 'vitest';
import { chooseLight, fitsLight, isSpoofByLight } from './light.ts';

const PLAN: LightPlan = { attempts: [{ colours: ['red', 'blue'], again: ['green'], colourMs: 450 }], required: false };
const NONE: LightCourse = { colours: 0, isStopped: false };
const ONE_ROUND: LightCourse = { colours: 2, isStopped: false };
const BOTH: LightCourse = { colours: 3, isStopped: false };
const fitting = (shown: LightCourse) => LIGHT_FINDINGS.filter((found) => fitsLight(PLAN, found, shown));

it('is declined if none was shown, and no one is unlit by one round', () => {
  expect(fitting(NONE)).toEqual(['declined']);
  expect(fitting(ONE_ROUND)).toEqual(['lit', 'inconclusive']);
  expect(fitting(BOTH)).toEqual(['lit', 'not_lit', 'inconclusive']);
});

it('is declined if stopped, unless a whole round showed no reflection', () => {
  expect(fitting({ colours: 1, isStopped: true })).toEqual(['declined']);
  expect(fitting({ colours: 2, isStopped: true })).toEqual(['not_lit', 'declined']);
  expect(fitting({ colours: 3, isStopped: true })).toEqual(['not_lit', 'declined']);
});

it('is reported exactly if the plan requests it', () => {
  for (const shown of [NONE, ONE_ROUND, BOTH]) {
    expect(fitsLight(PLAN, undefined, shown)).toBe(false);
    expect(LIGHT_FINDINGS.some((found) => fitsLight(undefined, found, shown))).toBe(false);
  }
  expect(fitsLight(undefined, undefined, NONE)).toBe(true);
});

it('makes an unlit face a spoof only if enforced', () => {
  const spoofs = (challenge: 'off' | 'flag' | 'enforce') =>
    LIGHT_FINDINGS.filter((light) => isSpoofByLight(challenge, { spoof: false, light }, BOTH));
  expect([spoofs('off'), spoofs('flag'), spoofs('enforce')]).toEqual([[], [], ['not_lit']]);
  expect(isSpoofByLight('enforce', undefined, NONE)).toBe(false);
  expect(isSpoofByLight('enforce', { spoof: false }, NONE)).toBe(false);
});

it('makes no spoof by a single round of stopped colors', () => {
  expect(isSpoofByLight('enforce', { spoof: false, light: 'not_lit' }, { colours: 3, isStopped: true })).toBe(false);
});

it("follows the session's policy before the service's", () => {
  expect(chooseLight(undefined, 'off')).toBeUndefined();
  expect([chooseLight(undefined, 'flag'), chooseLight(undefined, 'enforce')]).toEqual(['optional', 'optional']);
  expect([chooseLight('required', 'off'), chooseLight('optional', 'off')]).toEqual(['required', 'optional']);
});
