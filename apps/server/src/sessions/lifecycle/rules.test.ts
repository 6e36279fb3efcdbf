import { describe, expect, it } from 'vitest';
import { isOpen, SESSION_STATES, statesBefore } from './rules.ts';

describe('session states', () => {
  it('follow their order, and every open one can expire', () => {
    expect(SESSION_STATES.map((to) => [to, statesBefore(to)])).toEqual([
      ['created', []],
      ['opened', ['created']],
      ['capturing', ['created', 'opened']],
      ['completed', ['capturing']],
      ['cancelled', ['opened', 'capturing']],
      ['expired', ['created', 'opened', 'capturing']],
    ]);
  });

  it('end once, with no state after an end', () => {
    const ends = SESSION_STATES.filter((state) => !isOpen(state));
    expect(ends).toEqual(['completed', 'cancelled', 'expired']);
    for (const end of ends) expect(SESSION_STATES.filter((to) => statesBefore(to).includes(end))).toEqual([]);
  });
});
