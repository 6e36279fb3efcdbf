import { describe, expect, it } from 'vitest';
import { describeVerdict, formatVerdict, orderVerdicts } from './judging.ts';

const session = { kind: 'session', verdicts: ['ALLOW', 'BLOCK'], eyes: 2, proposed: null } as const;
const proposed = { ...session, proposed: { verdict: 'BLOCK', by: 'Ann' } } as const;

describe('verdicts on a case', () => {
  it('offers allow and block, as a proposal if two operators must agree', () => {
    expect(orderVerdicts(session).map((verdict) => formatVerdict(session, verdict))).toEqual(['Allow', 'Block']);
    expect(describeVerdict(session, 'ALLOW').text).toContain('This is a proposal');
    expect(describeVerdict({ ...session, eyes: 1 }, 'ALLOW').text).toContain('The host receives');
  });

  it('offers the second operator to confirm or object', () => {
    expect(orderVerdicts(proposed).map((verdict) => formatVerdict(proposed, verdict))).toEqual([
      'Confirm: block',
      'Disagree',
    ]);
    expect(describeVerdict(proposed, 'BLOCK')).toEqual({
      heading: 'Confirm the proposal of Ann: blocked?',
      text: expect.stringContaining('The host receives'),
    });
    expect(describeVerdict(proposed, 'ALLOW')).toEqual({
      heading: 'Disagree with the proposal of Ann: blocked?',
      text: expect.stringContaining('reopens'),
    });
  });
});
