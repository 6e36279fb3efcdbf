import { MOVEMENTS } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { createReport, FRAME_SIZE } from '../../../testing/fakes/fake-reports.ts';
import { QUALITY_PROBLEMS, type QualityProblem } from '../../face/index.ts';
import { choosePrompt, createPatience, getMovementPrompt } from './guidance.ts';

const tell = (problems: QualityProblem[], middle = { x: 0.5, y: 0.5 }) =>
  choosePrompt(createReport({ problems, middle }), FRAME_SIZE);

describe('choosePrompt', () => {
  test('returns null for a good frame', () => expect(tell([])).toBeNull());

  test('returns the prompt of the first problem', () => {
    expect(tell(['too_far', 'too_dark'])).toBe('guide.tooFar');
    expect(choosePrompt(createReport({ people: 2, problems: ['too_dark'] }), FRAME_SIZE)).toBe('guide.severalFaces');
    expect(choosePrompt(createReport({ people: 0 }), FRAME_SIZE)).toBe('guide.noFace');
  });

  test('returns a different prompt for each problem', () => {
    const words = QUALITY_PROBLEMS.map((problem) => tell([problem], { x: 0.9, y: 0.5 }));
    expect(new Set(words).size).toBe(QUALITY_PROBLEMS.length);
    expect(words).not.toContain(null);
  });

  test('asks the person to move to their right when they are on the right of the frame', () => {
    expect(tell(['off_centre'], { x: 0.8, y: 0.5 })).toBe('guide.moveRight');
    expect(tell(['off_centre'], { x: 0.2, y: 0.5 })).toBe('guide.moveLeft');
  });

  test('asks the person to move up when they are low in the frame', () => {
    expect(tell(['off_centre'], { x: 0.5, y: 0.8 })).toBe('guide.moveUp');
    expect(tell(['off_centre'], { x: 0.5, y: 0.2 })).toBe('guide.moveDown');
  });

  test('asks for the larger correction, relative to the frame’s sides', () => {
    expect(tell(['off_centre'], { x: 0.78, y: 0.76 })).toBe('guide.moveRight');
    expect(tell(['off_centre'], { x: 0.76, y: 0.22 })).toBe('guide.moveDown');
  });

  test('shows the oval if there is no face', () => {
    expect(choosePrompt({ people: 0, face: null, problems: ['off_centre'], advice: null }, FRAME_SIZE)).toBe(
      'guide.oval',
    );
  });

  test('returns a different prompt for each challenge', () => {
    expect(new Set(MOVEMENTS.map(getMovementPrompt)).size).toBe(MOVEMENTS.length);
    expect(getMovementPrompt('turn_left')).toBe('challenge.turnLeft');
  });
});

describe('patience', () => {
  const DARK = createReport({ problems: ['too_dark'] });
  const TWO = createReport({ people: 2 });
  const FAR = createReport({ problems: ['too_far'] });

  test('lasts forty seconds', () => {
    const patience = createPatience(1_000);
    expect(patience.note(DARK, 40_999)).toBeNull();
    expect(patience.note(DARK, 41_000)).toBe('dark');
  });

  test.each([
    ['dark', [DARK, DARK, TWO]],
    ['faces', [TWO, TWO, DARK]],
    ['scan', [FAR, FAR, DARK, createReport()]],
    ['scan', [createReport({ people: 0 })]],
    ['dark', [DARK, TWO, FAR]],
  ] as const)('ends with the most frequent problem: %s', (problem, reports) => {
    const patience = createPatience(0);
    for (const report of reports.slice(0, -1)) patience.note(report, 10);
    expect(patience.note(reports.at(-1)!, 40_000)).toBe(problem);
  });
});
