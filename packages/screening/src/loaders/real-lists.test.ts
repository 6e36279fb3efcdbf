// Tests with the published files, if they are available next to the repository.
import { createReadStream, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { collect, findEntity, type Loaded } from '../../testing/lists/load-bytes.ts';
import { createLoadReport, type ListFormat, loadList } from './load-list.ts';

const FOLDER = fileURLToPath(new URL('../../../../../shared/data/sanctions/', import.meta.url));

async function loadFiles(format: ListFormat, main: string, more: Record<string, string> = {}): Promise<Loaded> {
  const open = (name: string) => createReadStream(FOLDER + name);
  const report = createLoadReport();
  const others = Object.fromEntries(Object.entries(more).map(([key, name]) => [key, open(name)]));
  return { entities: await collect(loadList(format, { main: open(main), ...others }, 'real', report)), report };
}

function countKinds({ entities }: Loaded): Record<string, number> {
  const kinds = entities.flatMap(({ identifiers }) => identifiers.map(({ kind }) => kind));
  return Object.fromEntries(
    Map.groupBy(kinds, (kind) => kind)
      .entries()
      .map(([kind, all]) => [kind, all.length]),
  );
}

function countValues({ entities }: Loaded, list: 'addresses' | 'positions'): number {
  return entities.reduce((sum, entity) => sum + entity[list].length, 0);
}

describe.skipIf(!existsSync(FOLDER))('the published lists', () => {
  it('loads targets.simple.csv of OFAC’s list', async () => {
    const loaded = await loadFiles('targets-simple-csv', 'us_ofac_sdn.targets.simple.csv');
    expect(loaded.report).toMatchObject({ records: 19_249, entities: 19_249, skipped: 0, problemCount: 0 });
    expect(loaded.entities.filter(({ schema }) => schema === 'Person')).toHaveLength(7_502);
    expect(loaded.entities.filter(({ birthDates }) => birthDates.length > 0)).toHaveLength(5_018);
    expect(findEntity(loaded, 'ofac-2677')).toMatchObject({
      caption: 'AL-ZOMOR, Abboud Abdul Latif Hassan',
      birthDates: ['1947-04-19'],
      countries: ['Egypt'],
      programs: ['SDGT'],
    });
    expect(findEntity(loaded, 'ofac-555').names).toEqual([
      'COMERCIALIZACION DE PRODUCTOS VARIOS',
      'COPROVA',
      'COPROVA SARL',
    ]);
  });

  it('loads OFAC’s three files', async () => {
    const more = { aliases: 'ofac_2021_alt.csv', addresses: 'ofac_2021_add.csv' };
    const loaded = await loadFiles('ofac-csv', 'ofac_2021_sdn.csv', more);
    expect(loaded.report).toMatchObject({ records: 8_976, entities: 8_976, skipped: 0, problemCount: 0 });
    expect(loaded.entities.filter(({ schema }) => schema === 'Person')).toHaveLength(4_620);
    expect(loaded.entities.filter(({ weakNames }) => weakNames.length > 0).length).toBeGreaterThan(1_000);
    expect(findEntity(loaded, 'ofac-306')).toMatchObject({
      names: ['BANCO NACIONAL DE CUBA', 'NATIONAL BANK OF CUBA'],
      weakNames: ['BNC'],
      countries: expect.arrayContaining(['Switzerland', 'Spain', 'Japan']),
    });
    expect(findEntity(loaded, 'ofac-11699')).toMatchObject({ birthDates: ['1957-08-21'], weakNames: ['DON PILO'] });
    expect(countKinds(loaded)).toMatchObject({
      passportNumber: 1_556,
      taxNumber: 1_233,
      imoNumber: 482,
      publicKey: 79,
    });
    expect(countValues(loaded, 'addresses')).toBe(9_585);
    expect(countValues(loaded, 'positions')).toBe(998);
    expect(findEntity(loaded, 'ofac-7575')).toMatchObject({
      addresses: expect.arrayContaining(['Carrera 66 No. 7-31, Bogota, Colombia']),
      identifiers: [
        { kind: 'idNumber', value: '14942909' },
        { kind: 'passportNumber', value: '14942909' },
      ],
    });
  });

  it('loads the Security Council’s consolidated list', async () => {
    const loaded = await loadFiles('un-xml', 'un_sc_consolidated.xml');
    expect(loaded.report).toMatchObject({ records: 1_003, entities: 1_003, version: '2026-02-27T00:00:09.554Z' });
    expect(loaded.entities.filter(({ schema }) => schema === 'Person')).toHaveLength(730);
    // Two dates in words or another calendar, and one name with a character that is already lost in
    // the file.
    expect(loaded.report.problems.map(({ where }) => where.split(' ')[1])).toEqual([
      ...['un-LYi.022', 'un-QDi.291', 'un-TAi.068'],
    ]);
    expect(findEntity(loaded, 'un-CDi.003')).toMatchObject({
      caption: 'GASTON IYAMUREMYE',
      names: ['GASTON IYAMUREMYE', 'Byiringiro Victor Rumuli', 'Victor Rumuri', 'Michel Byiringiro'],
      weakNames: ['Rumuli'],
      birthDates: ['1948'],
      countries: expect.arrayContaining(['Rwanda']),
      lastChange: '2016-10-13',
    });
    expect(countKinds(loaded)).toMatchObject({ passportNumber: 309, swiftBic: 5, imoNumber: 2 });
    expect(countValues(loaded, 'addresses')).toBe(503);
    expect(countValues(loaded, 'positions')).toBe(427);
    expect(findEntity(loaded, 'un-QDi.203')).toMatchObject({
      nationalities: ['Iraq'],
      addresses: ['Arbil – Qushtuba – house no. SH 11, alley 5380, Iraq'],
      identifiers: [{ kind: 'passportNumber', value: 'A 0139243' }],
    });
  });
});
