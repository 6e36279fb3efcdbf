// The Swiss XML file: names in parts and scripts, places by reference, and removed targets.
import { describe, expect, it } from 'vitest';
import { findEntity, loadBytes } from '../../../testing/lists/load-bytes.ts';
import { SECO_LIST } from '../../../testing/lists/seco-list.ts';
import { emptyEntity } from '../../entity.ts';

const load = (main = SECO_LIST) => loadBytes('ch-xml', { main });

describe('ch-xml', () => {
  it('reads a person: name parts in order, each script separately, and a place defined later', async () => {
    expect(findEntity(await load(), 'ch-seco-100')).toEqual({
      ...emptyEntity('ch-seco-100', 'Person'),
      caption: 'Orla Quillfeather',
      names: ['Orla Quillfeather', 'Орла Квиллфезер'],
      weakNames: ['Quilly'],
      birthDates: ['1971-05-05', '1972'],
      countries: ['IS'],
      nationalities: ['IS'],
      addresses: ['1 Made-up Street, Reykjavik, Capital Region, IS'],
      identifiers: [{ kind: 'passportNumber', value: 'K1234567' }],
      topics: ['sanction'],
      programs: ['Ordinance on measures against fiction'],
      datasets: ['test-list'],
      firstSeen: '2020-01-03',
      lastChange: '2021-02-03',
    });
  });

  it('reads the numbers of a company and a ship from the remarks, and ignores other remarks', async () => {
    const loaded = await load();
    expect(findEntity(loaded, 'ch-seco-200')).toMatchObject({
      schema: 'Organization',
      names: ['Brindlewick Holdings', 'Бриндлвик'],
      identifiers: [
        { kind: 'innCode', value: '7701234567' },
        { kind: 'registrationNumber', value: '1027700123456' },
      ],
    });
    expect(findEntity(loaded, 'ch-seco-300')).toMatchObject({
      schema: 'Vessel',
      identifiers: [{ kind: 'imoNumber', value: '9187629' }],
    });
  });

  it('skips removed targets, reports broken records, and reads the date', async () => {
    const { entities, report } = await load();
    expect(entities.map(({ id }) => id)).toEqual(['ch-seco-100', 'ch-seco-200', 'ch-seco-300']);
    expect(report).toMatchObject({ records: 4, version: '2026-11-02' });
    expect(report.problems).toHaveLength(1);
    expect(report.truncated).toBeUndefined();
    expect((await load(SECO_LIST.slice(0, -30))).report.truncated).toBe(true);
  });
});
