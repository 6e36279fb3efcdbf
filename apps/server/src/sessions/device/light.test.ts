// What may be said of the light, by the plan and by what was shown; and when it makes a spoof of a face.
import { LIGHT_FINDINGS, type LightCourse, type LightPlan } from '@limen/plan';
import { expect, it } from 'vitest';
import { chooseLight, fitsLight, isSpoofByLight } from './light.ts';

const PLAN: LightPlan = { attempts: [{ colours: ['red', 'blue'], again: ['green'], colourMs: 450 }], required: false };
const NONE: LightCourse = { colours: 0, isStopped: false };
const ONE_ROUND: LightCourse = { colours: 2, isStopped: false };
const BOTH: LightCourse = { colours: 3, isStopped: false };
const fitting = (shown: LightCourse) => LIGHT_FINDINGS.filter((found) => fitsLight(PLAN, found, shown));

it('light is declined where none was shown, and nobody is unlit by one round', () => {
  expect(fitting(NONE)).toEqual(['declined']);
  expect(fitting(ONE_ROUND)).toEqual(['lit', 'inconclusive']);
  expect(fitting(BOTH)).toEqual(['lit', 'not_lit', 'inconclusive']);
});

it('light that was stopped is declined, unless a whole round had shown that nobody is lit', () => {
  expect(fitting({ colours: 1, isStopped: true })).toEqual(['declined']);
  expect(fitting({ colours: 2, isStopped: true })).toEqual(['not_lit', 'declined']);
  expect(fitting({ colours: 3, isStopped: true })).toEqual(['not_lit', 'declined']);
});

it('something is said of it if and only if the plan asks for it', () => {
  for (const shown of [NONE, ONE_ROUND, BOTH]) {
    expect(fitsLight(PLAN, undefined, shown)).toBe(false);
    expect(LIGHT_FINDINGS.some((found) => fitsLight(undefined, found, shown))).toBe(false);
  }
  expect(fitsLight(undefined, undefined, NONE)).toBe(true);
});

it('a face that was not lit as drawn is a spoof where that is enforced, and only there', () => {
  const spoofs = (challenge: 'off' | 'flag' | 'enforce') =>
    LIGHT_FINDINGS.filter((light) => isSpoofByLight(challenge, { spoof: false, light }, BOTH));
  expect([spoofs('off'), spoofs('flag'), spoofs('enforce')]).toEqual([[], [], ['not_lit']]);
  expect(isSpoofByLight('enforce', undefined, NONE)).toBe(false);
  expect(isSpoofByLight('enforce', { spoof: false }, NONE)).toBe(false);
});

it('nobody who stopped the colours is a spoof by the one round that they saw', () => {
  expect(isSpoofByLight('enforce', { spoof: false, light: 'not_lit' }, { colours: 3, isStopped: true })).toBe(false);
});

it('what a session asks for comes before what the service asks for', () => {
  expect(chooseLight(undefined, 'off')).toBeUndefined();
  expect([chooseLight(undefined, 'flag'), chooseLight(undefined, 'enforce')]).toEqual(['optional', 'optional']);
  expect([chooseLight('required', 'off'), chooseLight('optional', 'off')]).toEqual(['required', 'optional']);
});
