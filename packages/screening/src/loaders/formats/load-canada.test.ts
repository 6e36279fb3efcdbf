// Canada's XML file: people, companies and ships, with several names in one cell.
import { describe, expect, it } from 'vitest';
import { CANADA_LIST } from '../../../testing/lists/canada-list.ts';
import { findEntity, loadBytes } from '../../../testing/lists/load-bytes.ts';
import { emptyEntity } from '../../entity.ts';

const load = (main = CANADA_LIST) => loadBytes('ca-xml', { main });

describe('ca-xml', () => {
  it('reads a person', async () => {
    const id = 'ca-iceland-1-part-1-12-orla-fenn-quillfeather';
    expect(findEntity(await load(), id)).toEqual({
      ...emptyEntity(id, 'Person'),
      caption: 'Orla Fenn Quillfeather',
      names: ['Orla Fenn Quillfeather', 'Orla Quill', 'Орла Квилл', 'Orlah QUILL', 'Quilly'],
      birthDates: ['1971-05-05', '1972'],
      countries: ['Iceland'],
      topics: ['sanction'],
      programs: ['Iceland / Islande'],
      datasets: ['test-list'],
      firstSeen: '2022-03-14',
    });
  });

  it('reads a company with its other name, and a ship by its number without a date of birth', async () => {
    const loaded = await load();
    expect(findEntity(loaded, 'ca-iceland-1-part-2-3-brindlewick-holdings-also-known-as-bwh')).toMatchObject({
      schema: 'Organization',
      names: ['Brindlewick Holdings', 'BWH'],
    });
    expect(findEntity(loaded, 'ca-iceland-3-1-orvel-star-7')).toMatchObject({
      schema: 'Vessel',
      birthDates: [],
      identifiers: [{ kind: 'imoNumber', value: '9187629' }],
    });
  });

  it('does not take a law for a country', async () => {
    const found = (await load()).entities.find(({ names }) => names.includes('Mirko Zantulgrave'));
    expect(found).toMatchObject({ countries: [], birthDates: ['1966-04-23'] });
  });

  it('reports unusable records, continues, and detects a truncated file', async () => {
    const { entities, report } = await load();
    expect([entities.length, report.records, report.truncated]).toEqual([4, 6, undefined]);
    expect(report.problems.map(({ where }) => where)).toEqual(['line 37', 'line 38']);
    expect((await load(CANADA_LIST.slice(0, -20))).report.truncated).toBe(true);
  });
});
