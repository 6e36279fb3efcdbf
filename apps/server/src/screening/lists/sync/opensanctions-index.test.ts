// What is believed of OpenSanctions' index, and which deltas make a way.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOpenSanctionsIndex, planDeltas } from './opensanctions-index.ts';

const INDEX_URL = 'https://data.example.org/datasets/latest/x/index.json';
const SHA1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';

describe('an index', () => {
  it('names version, file, checksum, deltas and people', () => {
    const index = {
      name: 'x',
      version: '20260101000000-abc',
      delta_url: 'https://data.example.org/deltas/x/delta.json',
      targets: {
        total: 12,
        schemata: [
          { name: 'Company', count: 2 },
          { name: 'Person', count: 10 },
        ],
      },
      resources: [
        { name: 'targets.simple.csv', url: 'https://data.example.org/t.csv' },
        { name: 'entities.ftm.json', url: 'https://data.example.org/e.json', checksum: SHA1, size: 5 },
      ],
    };
    expect(parseOpenSanctionsIndex(index, INDEX_URL)).toEqual({
      version: '20260101000000-abc',
      entities: { url: 'https://data.example.org/e.json', sha1: SHA1 },
      deltaUrl: 'https://data.example.org/deltas/x/delta.json',
      people: 10,
    });
  });

  it.each([
    [{ version: '1', resources: [] }],
    [{ resources: [{ name: 'entities.ftm.json', url: 'https://a.example/' }] }],
    [{ version: '1', resources: [{ name: 'entities.ftm.json', url: 'http://a.example/' }] }],
    [{ version: '1', resources: [{ name: 'entities.ftm.json', url: 'file:///etc/passwd' }] }],
    [{ version: 1, resources: [{ name: 'entities.ftm.json', url: 'https://a.example/' }] }],
  ])('%j is refused', (index) => {
    expect(() => parseOpenSanctionsIndex(index, INDEX_URL)).toThrow('not an index of OpenSanctions');
  });

  it('is refused or understood whatever it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => parseOpenSanctionsIndex(value, INDEX_URL)).toThrow('not an index of OpenSanctions');
        expect(planDeltas(value, { from: '1', to: '2', indexUrl: INDEX_URL })).toBeUndefined();
      }),
    );
  });
});

describe('the deltas between two versions', () => {
  const url = (version: string) => `https://data.example.org/${version}.json`;
  const published = (...versions: string[]) => ({ versions: Object.fromEntries(versions.map((v) => [v, url(v)])) });
  const plan = (index: unknown, from: string, to: string) =>
    planDeltas(index, { from, to, indexUrl: INDEX_URL })?.map(({ version }) => version);

  it('come oldest first, however they are listed, without those before and after', () => {
    expect(plan(published('30', '10', '50', '20', '40'), '20', '40')).toEqual(['30', '40']);
  });

  it('need not hold the loaded version itself: one without changes has none', () => {
    expect(plan(published('10', '30'), '20', '30')).toEqual(['30']);
  });

  it.each([
    ['the oldest is newer than what is loaded', published('30', '40'), '20', '40'],
    ['the newest is not there', published('10', '20', '30'), '20', '40'],
    ['there are none', published(), '20', '40'],
    ['the publisher went back', published('10', '20', '30'), '30', '20'],
    ['one has no safe address', { versions: { 10: url('10'), 30: 'http://a.example/', 40: url('40') } }, '20', '40'],
  ])('are no way when %s', (_, index, from, to) => {
    expect(plan(index, from, to)).toBeUndefined();
  });

  it('are no way when there are too many', () => {
    const many = Array.from({ length: 102 }, (_, number) => String(1000 + number));
    expect(plan(published(...many), '1001', '1101')).toHaveLength(100);
    expect(plan(published(...many), '1000', '1101')).toBeUndefined();
  });
});
