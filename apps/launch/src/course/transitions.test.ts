import { describe, expect, test } from 'vitest';
import type { Actions, PageState, Screen } from './screens.ts';
import { COURSE, guardActions, mayDo, mayFollow, type ScreenName } from './transitions.ts';

const NAMES = Object.keys(COURSE) as ScreenName[];
const at = (screen: Screen, dialog: PageState['dialog'] = null) => ({ screen, dialog });
const PROBLEM: Screen = { name: 'problem', problem: 'dark', canRetry: true, canUsePhone: true };
const END: Screen = { name: 'end', how: 'done', redirectUrl: null };

test('reaches every screen from the first', () => {
  const reached = new Set<ScreenName>(['opening']);
  for (const name of reached) for (const next of NAMES) if (mayFollow(name, next)) reached.add(next);
  expect(NAMES.filter((name) => !reached.has(name))).toEqual([]);
});

test('leads from every screen to the end, and nowhere from the end', () => {
  expect(NAMES.filter((name) => !mayFollow(name, 'end'))).toEqual([]);
  expect(NAMES.filter((name) => name !== 'end' && mayFollow('end', name))).toEqual([]);
});

describe('mayDo', () => {
  test('allows only the actions of the screen', () => {
    expect(mayDo(at(PROBLEM), 'retry')).toBe(true);
    expect(mayDo(at(PROBLEM), 'start')).toBe(false);
    expect(mayDo(at(END), 'goOn')).toBe(true);
    for (const action of ['start', 'retry', 'usePhone', 'askToCancel', 'goBack'] as const) {
      expect(mayDo(at(END), action)).toBe(false);
    }
  });

  test('rejects an action that is in progress', () => {
    expect(mayDo(at({ name: 'permission', state: 'explain' }), 'askForCamera')).toBe(true);
    expect(mayDo(at({ name: 'permission', state: 'asking' }), 'askForCamera')).toBe(false);
  });

  test('allows only the actions of an open dialog', () => {
    expect(mayDo(at(PROBLEM, 'cancel'), 'retry')).toBe(false);
    expect(mayDo(at(PROBLEM, 'cancel'), 'confirmCancel')).toBe(true);
    expect(mayDo(at(PROBLEM), 'confirmCancel')).toBe(false);
    expect(mayDo(at(PROBLEM, 'privacy'), 'confirmForget')).toBe(false);
    expect(mayDo(at(PROBLEM, 'privacy'), 'attachVideo')).toBe(true);
  });
});

test('ignores actions that the screen does not have', () => {
  const done: string[] = [];
  const record = (name: string) => (value?: unknown) => void done.push(`${name} ${value ?? ''}`.trim());
  const actions = { retry: record('retry'), start: record('start'), chooseNumber: record('chooseNumber') };
  const guarded = guardActions(actions as unknown as Actions, () => ({ ...at(PROBLEM), asks: null }));
  guarded.start();
  guarded.chooseNumber('12');
  guarded.retry();
  expect(done).toEqual(['retry']);
});
