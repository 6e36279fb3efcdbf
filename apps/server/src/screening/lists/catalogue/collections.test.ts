// Warnings about collections: full sentences with useful advice.
import { expect, it } from 'vitest';
import { warnAbout } from './collections.ts';

const NONE = { failed: [], loading: [], behind: [], isCompared: true };
const list = (name: string) => ({ info: { name, entityCount: 1, sanctions: 1, peps: 1 } });

it('recommends a list that has entries of the collection', () => {
  expect(warnAbout('peps', [list('demo')], NONE)).toContain('(limen datasets add os_peps --opensanctions peps).');
  for (const name of ['default', 'sanctions'] as const) {
    expect(warnAbout(name, [list('demo')], NONE)).toContain('(limen datasets add us_ofac_sdn).');
  }
});

it('consists of complete sentences', () => {
  expect(warnAbout('default', [list('demo')], { ...NONE, failed: ['a', 'b'], loading: ['c'] })).toMatch(
    /^Only the fictional demo .*\)\. Not searched, .* loaded: a, b\. Not searched, .* loading: c\.$/,
  );
});

it('is undefined if a real list is behind it and none is missing', () => {
  expect(warnAbout('default', [list('north')], NONE)).toBeUndefined();
});
