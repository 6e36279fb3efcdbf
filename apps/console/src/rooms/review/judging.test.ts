import { describe, expect, it } from 'vitest';
import { choicesOf, labelOf, questionOf } from './judging.ts';

const session = { kind: 'session', verdicts: ['ALLOW', 'BLOCK'], eyes: 2, proposed: null } as const;
const proposed = { ...session, proposed: { verdict: 'BLOCK', by: 'Ann' } } as const;

describe('what can be said of a case', () => {
  it('is a verdict, which is a proposal where two have to agree', () => {
    expect(choicesOf(session).map((verdict) => labelOf(session, verdict))).toEqual(['Allow', 'Block']);
    expect(questionOf(session, 'ALLOW').text).toContain('This is a proposal');
    expect(questionOf({ ...session, eyes: 1 }, 'ALLOW').text).toContain('The host is told');
  });

  it('is, of what somebody proposed, that it is right or not', () => {
    expect(choicesOf(proposed).map((verdict) => labelOf(proposed, verdict))).toEqual(['Confirm: block', 'Disagree']);
    expect(questionOf(proposed, 'BLOCK')).toEqual({
      heading: 'Confirm what Ann proposes: blocked?',
      text: expect.stringContaining('The host is told'),
    });
    expect(questionOf(proposed, 'ALLOW')).toEqual({
      heading: 'Disagree with Ann, who proposes: blocked?',
      text: expect.stringContaining('open again'),
    });
  });
});
