// Light and camera requests in a step log: valid positions, durations and measurements.

import { describe, expect, it } from 'vitest';
import { type LightDraw, type LightPlan, listPossibleFindings } from './light.ts';
import type { LogEntry } from './log.ts';
import { measureLog } from './measure-log.ts';
import type { FacePlanStep } from './steps.ts';
import { checkPrefix, checkWhole, countAttemptsLit } from './walk-log.ts';

const COLOR_MS = 410;
/** Four fifths of the color's time. */
const LEAST_MS = 328;
const FACE: FacePlanStep = {
  step: 'face',
  when: 'always',
  report: 'none',
  ageThreshold: 0,
  challenges: ['blink', 'look_up'],
  challengeMs: 15_000,
};
const FIRST: LightDraw = { colours: ['red', 'blue', 'green'], again: [], colourMs: COLOR_MS };
/** Its colors are numbered from 3 on. */
const SECOND: LightDraw = { colours: ['cyan', 'red', 'blue'], again: [], colourMs: 500 };
const LIT: FacePlanStep = { ...FACE, light: { attempts: [FIRST, SECOND], required: false } };
const TWICE: LightDraw = { ...FIRST, again: ['blue', 'red'] };
const LIT_TWICE: FacePlanStep = { ...FACE, light: { attempts: [TWICE], required: false } };
const ASKING: FacePlanStep = { ...FACE, cameraRequest: { after: 0 } };
const BOTH: FacePlanStep = { ...LIT, cameraRequest: { after: 1 } };

/** Parses `started 0, shown 0`: one second between entries, or as in `lit 1 +410`. */
function parseLog(text: string): LogEntry[] {
  let at = 0;
  return text.split(', ').map((entry) => {
    const [event, index, after = '+1000'] = entry.split(' ');
    at += Number(after);
    return [event as LogEntry[0], Number(index), at];
  });
}
const MOVED = 'started 0, shown 0, done 0, shown 1, done 1';
const ASKED = 'started 0, shown 0, done 0, asked 0, shown 1, done 1';

function judge(step: FacePlanStep, text: string, cutShort = false) {
  return checkWhole({ steps: [step] }, parseLog(text), { stepsDue: [0], cutShort }) ? 'misfit' : 'fits';
}

describe('a step with light', () => {
  it.each([
    ['has all colors in their order', `${MOVED}, lit 0, lit 1, lit 2, finished 0`, 'fits'],
    ['or none, where the person declined', `${MOVED}, finished 0`, 'fits'],
    ['but not some', `${MOVED}, lit 0, lit 1, finished 0`, 'misfit'],
    ['nor another order', `${MOVED}, lit 1, lit 0, lit 2, finished 0`, 'misfit'],
    ['nor one twice', `${MOVED}, lit 0, lit 0, lit 1, lit 2, finished 0`, 'misfit'],
    ['nor one that was not drawn', `${MOVED}, lit 0, lit 1, lit 2, lit 3, finished 0`, 'misfit'],
    ['has it after all movements', 'started 0, shown 0, done 0, lit 0, lit 1, lit 2, shown 1, done 1', 'misfit'],
    ['and not during one', 'started 0, shown 0, done 0, shown 1, lit 0, lit 1, lit 2, done 1, finished 0', 'misfit'],
    ['shows it anew when it begins again', `${MOVED}, lit 0, lit 1, lit 2, retried 0, finished 0`, 'misfit'],
    [
      'may be declined in the attempt that counts',
      `${MOVED}, lit 0, retried 0, shown 0, done 0, shown 1, done 1, finished 0`,
      'fits',
    ],
    [
      'cannot have part of it from the attempt before',
      `${MOVED}, lit 0, retried 0, shown 0, done 0, shown 1, done 1, lit 1, lit 2, finished 0`,
      'misfit',
    ],
  ])('%s', (_, text, verdict) => {
    expect(judge(LIT, text)).toBe(verdict);
  });

  const AGAIN = 'retried 0, shown 0, done 0, shown 1, done 1';
  it.each([
    ['those of its own draw', 'lit 3, lit 4, lit 5, finished 0', 'fits'],
    ['not those of the attempt before', 'lit 0, lit 1, lit 2, finished 0', 'misfit'],
    ['none that the attempt before left over', 'lit 1, lit 2, finished 0', 'misfit'],
    ['none that it did not get to', 'lit 4, lit 5, finished 0', 'misfit'],
    ['each for the time of that draw', 'lit 3 +400, lit 4 +400, lit 5 +400, finished 0 +400', 'fits'],
    ['each for no less than that', 'lit 3, lit 4 +399, lit 5, finished 0', 'misfit'],
    ['none after the last draw', `lit 3, ${AGAIN}, lit 6, lit 7, lit 8, finished 0`, 'misfit'],
    ['nothing where none is left', `lit 3, ${AGAIN}, finished 0`, 'fits'],
  ])('whose colors were seen in an attempt that broke off has, in the next one, %s', (_, course, verdict) => {
    expect(judge(LIT, `${MOVED}, lit 0, ${AGAIN}, ${course}`)).toBe(verdict);
  });

  it('keeps the colors of an attempt that broke off before any of them', () => {
    const log = `${MOVED}, ${AGAIN}, lit 0, lit 1, lit 2, finished 0`;
    expect(judge(LIT, log)).toBe('fits');
    expect(countAttemptsLit({ steps: [LIT] }, parseLog(MOVED))).toBe(0);
    expect(countAttemptsLit({ steps: [LIT] }, parseLog(`${MOVED}, lit 0, ${AGAIN}, lit 3, lit 4`))).toBe(2);
  });

  it.each([
    ['after any color', `${MOVED}, lit 0, lit 1, stopped 1 +10, finished 0 +10`, 'fits'],
    [
      'after the last one, before its time is over',
      `${MOVED}, lit 0, lit 1, lit 2, stopped 2 +1, finished 0 +1`,
      'fits',
    ],
    ['not before the first', `${MOVED}, stopped 0, finished 0`, 'misfit'],
    ['not at another color than was shown', `${MOVED}, lit 0, lit 1, stopped 0, finished 0`, 'misfit'],
    ['once', `${MOVED}, lit 0, stopped 0, stopped 0, finished 0`, 'misfit'],
    ['for good', `${MOVED}, lit 0, stopped 0, lit 1, lit 2, finished 0`, 'misfit'],
    ['not during a movement', 'started 0, shown 0, stopped 0, done 0, shown 1, done 1, finished 0', 'misfit'],
    ['in a later attempt too', `${MOVED}, lit 0, ${AGAIN}, lit 3, stopped 3, finished 0`, 'fits'],
  ])('may be stopped %s', (_, text, verdict) => {
    expect(judge(LIT, text)).toBe(verdict);
  });

  it.each([
    ['may end after the first round', 'lit 0, lit 1, lit 2, finished 0', 'fits'],
    ['or after the second', 'lit 0, lit 1, lit 2, lit 3, lit 4, finished 0', 'fits'],
    ['but not within it', 'lit 0, lit 1, lit 2, lit 3, finished 0', 'misfit'],
    ['nor with the second alone', 'lit 3, lit 4, finished 0', 'misfit'],
    ['nor with a third', 'lit 0, lit 1, lit 2, lit 3, lit 4, lit 5, finished 0', 'misfit'],
    [
      'nor with a second that was not shown',
      `lit 0, lit 1, lit 2, lit 3 +${LEAST_MS - 1}, lit 4, finished 0`,
      'misfit',
    ],
  ])('that may be shown twice %s', (_, course, verdict) => {
    expect(judge(LIT_TWICE, `${MOVED}, ${course}`)).toBe(verdict);
  });

  it.each([
    ['the first color', 'lit 0 +LEAST, lit 1, lit 2, finished 0'],
    ['the colors between', 'lit 0, lit 1 +LEAST, lit 2, finished 0'],
    ['the end', 'lit 0, lit 1, lit 2, finished 0 +LEAST'],
  ])('gives each color four fifths of its time at least: %s', (_, course) => {
    const after = (ms: number) => `${MOVED}, ${course.replace('LEAST', String(ms))}`;
    expect([judge(LIT, after(LEAST_MS)), judge(LIT, after(LEAST_MS - 1))]).toEqual(['fits', 'misfit']);
  });

  it.each([
    ['a color within a round', 'lit 0, lit 1 +MOST, lit 2, lit 3, lit 4, finished 0'],
    ['the pause between two', 'lit 0, lit 1, lit 2, lit 3 +MOST, lit 4, finished 0'],
  ])('does not let anything stay as long as somebody likes: %s', (_, course) => {
    const after = (ms: number) => `${MOVED}, ${course.replace('MOST', String(ms))}`;
    expect([judge(LIT_TWICE, after(15_000)), judge(LIT_TWICE, after(15_001))]).toEqual(['fits', 'misfit']);
  });

  it('may take its time before the first color, and after the last', () => {
    expect(judge(LIT, `${MOVED}, lit 0 +60000, lit 1, lit 2, finished 0 +60000`)).toBe('fits');
  });

  it('does not take times that run backwards for light', () => {
    expect(judge(LIT, `${MOVED}, lit 0, lit 1 +-500, lit 2, finished 0`)).toBe('misfit');
  });

  it('may stop anywhere in it when the face is a spoof', () => {
    expect(judge(LIT, `${MOVED}, lit 0, lit 1`, true)).toBe('fits');
  });

  it('is the only one that has any', () => {
    expect(checkPrefix({ steps: [FACE] }, parseLog(`${MOVED}, lit 0`))).toEqual({ step: 0 });
    expect(judge(FACE, `${MOVED}, lit 0, lit 1, lit 2, finished 0`)).toBe('misfit');
  });
});

describe('a camera request', () => {
  it.each([
    ['comes after its movement', `${ASKED}, finished 0`, 'fits'],
    ['is never left out', `${MOVED}, finished 0`, 'misfit'],
    ['comes once', 'started 0, shown 0, done 0, asked 0, asked 0, shown 1, done 1, finished 0', 'misfit'],
    ['does not come early', 'started 0, shown 0, asked 0, done 0, shown 1, done 1, finished 0', 'misfit'],
    ['does not come late', 'started 0, shown 0, done 0, shown 1, asked 0, done 1, finished 0', 'misfit'],
    ['does not come after another movement', `${MOVED}, asked 1, finished 0`, 'misfit'],
    ['is made anew when the step begins again', `${ASKED}, retried 0, shown 0, done 0, shown 1, done 1`, 'misfit'],
    [
      'may be missing where the step begins again',
      `${MOVED}, retried 0, shown 0, done 0, asked 0, shown 1, done 1, finished 0`,
      'fits',
    ],
  ])('%s', (_, text, verdict) => {
    expect(judge(ASKING, text)).toBe(verdict);
  });

  it.each([
    ['at once', 'asked 0, answered 0 +0, shown 1, done 1, finished 0', 'fits'],
    ['during the next movement', 'asked 0, shown 1, answered 0, done 1, finished 0', 'fits'],
    ['at the end', 'asked 0, shown 1, done 1, answered 0, finished 0', 'fits'],
    ['never', 'asked 0, shown 1, done 1, finished 0', 'fits'],
    ['before it is asked', 'answered 0, asked 0, shown 1, done 1, finished 0', 'misfit'],
    ['at a time before it was asked', 'asked 0, answered 0 +-1, shown 1, done 1, finished 0', 'misfit'],
    ['twice', 'asked 0, answered 0, answered 0, shown 1, done 1, finished 0', 'misfit'],
    ['to another request', 'asked 0, answered 1, shown 1, done 1, finished 0', 'misfit'],
    ['after the end', 'asked 0, shown 1, done 1, finished 0, answered 0', 'misfit'],
    [
      'to one that was undone',
      'asked 0, retried 0, shown 0, done 0, answered 0, asked 0, shown 1, done 1, finished 0',
      'misfit',
    ],
  ])('may be answered %s, or not', (_, course, verdict) => {
    expect(judge(ASKING, `started 0, shown 0, done 0, ${course}`)).toBe(verdict);
  });

  it('may be answered in the middle of the light, which takes no less time for it', () => {
    const course = `${MOVED}, asked 1, lit 0, lit 1 +300, answered 1 +0`;
    expect(judge(BOTH, `${MOVED}, asked 1, lit 0, answered 1 +100, lit 1 +${LEAST_MS - 100}, lit 2, finished 0`)).toBe(
      'fits',
    );
    expect(judge(BOTH, `${course}, lit 2, finished 0`)).toBe('misfit');
  });

  it('comes before the light, which waits from the last movement all the same', () => {
    expect(judge(BOTH, `${MOVED}, asked 1 +10, lit 0 +${LEAST_MS - 10}, lit 1, lit 2, finished 0`)).toBe('fits');
    expect(judge(BOTH, `${MOVED}, lit 0, asked 1, lit 1, lit 2, finished 0`)).toBe('misfit');
  });

  it('is nothing for a plan without one', () => {
    expect(judge(FACE, `${ASKED}, finished 0`)).toBe('misfit');
  });
});

describe('what is measured of the light', () => {
  it('is the time from the first color to the last of the attempt that counts', () => {
    const course = `${MOVED}, lit 0, lit 1 +410, lit 2 +410, finished 0`;
    expect(measureLog(parseLog(course)).lightMs).toBe(820);
    const again = `${MOVED}, lit 0, lit 1, lit 2, retried 0, shown 0, done 0, shown 1, done 1`;
    expect(measureLog(parseLog(again)).lightMs).toBe(null);
    expect(measureLog(parseLog(`${again}, lit 3, lit 4 +400, lit 5 +410`)).lightMs).toBe(810);
  });

  it('is none that counts where it was stopped, unless all began again', () => {
    const course = `${MOVED}, lit 0, lit 1 +410, stopped 1`;
    expect(measureLog(parseLog(course)).light).toEqual({ colours: 2, isStopped: true });
    expect(measureLog(parseLog(MOVED)).light).toEqual({ colours: 0, isStopped: false });
    const again = `${course}, retried 0, shown 0, done 0, shown 1, done 1, lit 3, lit 4, lit 5`;
    expect(measureLog(parseLog(again)).light).toEqual({ colours: 3, isStopped: false });
  });

  it('stays when a later step begins again', () => {
    const course = `${MOVED}, lit 0, lit 1 +410, lit 2 +410, finished 0, started 1, retried 1`;
    expect(measureLog(parseLog(course)).lightMs).toBe(820);
  });
});

describe('what can be found', () => {
  const find = (draw: LightDraw, text: string) => {
    const plan: LightPlan = { attempts: [draw], required: false };
    return listPossibleFindings(plan, measureLog(parseLog(`${MOVED}${text}`)).light);
  };

  it.each([
    ['nothing without light', '', ['declined']],
    ['nobody unlit, by one round of two', ', lit 0, lit 1, lit 2', ['lit', 'inconclusive']],
    ['anything, by both', ', lit 0, lit 1, lit 2, lit 3, lit 4', ['lit', 'not_lit', 'inconclusive']],
    ['nothing, where the first was stopped', ', lit 0, lit 1, stopped 1', ['declined']],
    [
      'what the first has shown, where the second was stopped',
      ', lit 0, lit 1, lit 2, lit 3, stopped 3',
      ['declined', 'not_lit'],
    ],
    ['the same before its first color', ', lit 0, lit 1, lit 2, stopped 2', ['declined', 'not_lit']],
  ])('is %s', (_, text, findings) => {
    expect(find(TWICE, text)).toEqual(findings);
  });

  it('is anything by one round without a second, unless it was stopped', () => {
    expect(find(FIRST, ', lit 0, lit 1, lit 2')).toEqual(['lit', 'not_lit', 'inconclusive']);
    expect(find(FIRST, ', lit 0, lit 1, lit 2, stopped 2')).toEqual(['declined']);
  });
});
