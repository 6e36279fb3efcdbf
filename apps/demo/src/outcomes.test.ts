import { describe, expect, it } from 'vitest';
import { type Asked, lackingFor, OUTCOMES } from './outcomes.ts';

const lacking = (asked: Asked) =>
  Object.fromEntries(
    OUTCOMES.map(([outcome]) => [outcome, lackingFor(outcome, asked)]).filter(([, needs]) => needs !== undefined),
  );

describe('what cannot be simulated', () => {
  it('of a document alone is whatever needs a face', () => {
    const asked: Asked = { requirements: ['identity_document'] };
    expect(lacking(asked)).toEqual({ spoof: 'a face', face_mismatch: 'a face and a document' });
    expect(lacking({ ...asked, stepUpEnabled: true })).toEqual(lacking(asked));
  });

  it('of a face alone, which is the default, is whatever needs a document', () => {
    const needs = { document_failure: 'a document', face_mismatch: 'a face and a document' };
    expect(lacking({})).toEqual(needs);
    expect(lacking({ requirements: ['face'], stepUpEnabled: false })).toEqual(needs);
  });

  it.each<Asked>([
    { requirements: ['face', 'identity_document'] },
    { requirements: ['identity_document', 'face'] },
    { stepUpEnabled: true },
  ])('of both, or a face that may step up, is nothing (%j)', (asked) => {
    expect(lacking(asked)).toEqual({});
  });
});
