// OFAC's files, including data in the remarks.
import { describe, expect, it } from 'vitest';
import { OFAC } from '../../../testing/lists/lists.ts';
import { findEntity, loadBytes } from '../../../testing/lists/load-bytes.ts';
import { emptyEntity } from '../../entity.ts';
import { findOfacIdentifier, readOfacDate } from './ofac-remarks.ts';

describe('ofac-csv', () => {
  it('joins aliases and addresses, and parses the remarks', async () => {
    expect(findEntity(await loadBytes('ofac-csv', OFAC), 'ofac-101')).toEqual({
      ...emptyEntity('ofac-101', 'Person'),
      caption: 'QUILLFEATHER, Orla',
      names: ['QUILLFEATHER, Orla', 'FENN, Orla', 'QUILL, O.'],
      weakNames: ['QUILLY', 'LA PLUMA'],
      birthDates: ['1971-05-05', '1970', '1960~', '1965-02', '1960/1962', '1955/1958'],
      countries: ['Iceland', 'Korea, North', 'Peru'],
      nationalities: ['Iceland', 'Korea, North', 'Peru'],
      addresses: ['1 Made-up, Street, Lima, Peru'],
      positions: ['Minister, of Fiction'],
      identifiers: [
        { kind: 'passportNumber', value: 'RL 1794375' },
        { kind: 'passportNumber', value: '487/2007' },
        { kind: 'idNumber', value: '660000 73767' },
        { kind: 'socialSecurityNumber', value: '000-12-3456' },
        { kind: 'taxNumber', value: '800146749-7' },
        { kind: 'publicKey', value: '1MadeUpAddress9' },
      ],
      topics: ['sanction'],
      programs: ['SDGT', 'IRGC'],
      datasets: ['test-list'],
      lastChange: null,
    });
  });

  it("reads types, bracketed programs and a vessel's flag", async () => {
    const loaded = await loadBytes('ofac-csv', OFAC);
    expect(loaded.entities.map(({ id, schema }) => `${id} ${schema}`)).toEqual([
      'ofac-36 Organization',
      'ofac-101 Person',
      'ofac-102 Vessel',
      'ofac-103 Airplane',
    ]);
    expect(findEntity(loaded, 'ofac-102')).toMatchObject({
      programs: ['FIC1', 'FIC2'],
      countries: ['Malta', 'Panama'],
      identifiers: [
        { kind: 'imoNumber', value: '9187629' },
        { kind: 'mmsi', value: '572469210' },
        { kind: 'callSign', value: 'C6AB' },
      ],
    });
    expect(findEntity(loaded, 'ofac-36')).toMatchObject({
      names: ['BRINDLEWICK AIRLINES', 'BRINDLEWICK JETS'],
      countries: ['Peru', 'Iceland'],
      nationalities: [],
      addresses: ['Reykjavik, Iceland'],
      identifiers: [
        { kind: 'registrationNumber', value: 'HRB 26136' },
        { kind: 'dunsCode', value: '52-024-2307' },
        { kind: 'swiftBic', value: 'BRIKISRE' },
      ],
    });
  });

  it('reports unusable rows, but not the final control byte', async () => {
    const { report } = await loadBytes('ofac-csv', OFAC);
    expect(report).toMatchObject({ records: 5, entities: 4, skipped: 1, problemCount: 2 });
    expect(report.problems).toEqual([
      { where: 'record ofac-102 (line 3)', reason: 'The birth date "31 Feb 1970" cannot be read and was left out.' },
      { where: 'record ofac-104 (line 5)', reason: 'The record has no usable name.' },
    ]);
  });

  it('loads the main file alone', async () => {
    const loaded = await loadBytes('ofac-csv', { main: OFAC.main });
    expect(findEntity(loaded, 'ofac-36')).toMatchObject({ names: ['BRINDLEWICK AIRLINES'], addresses: [] });
  });

  it('reports files that do not belong together or are in the wrong place', async () => {
    const aliases = '36,1,"aka","KNOWN",-0- \r\n999,1,"aka","STRAY",-0- \r\n';
    const stray = await loadBytes('ofac-csv', { main: OFAC.main, aliases });
    expect(stray.report.problems.at(-1)).toMatchObject({ where: 'alias file', reason: expect.stringContaining('999') });
    const comments = '999,"more"\r\n';
    const lost = await loadBytes('ofac-csv', { main: OFAC.main, comments });
    expect(lost.report.problems.at(-1)).toMatchObject({ where: 'comment file' });
    const swapped = await loadBytes('ofac-csv', { main: OFAC.main, aliases: OFAC.addresses! });
    expect(swapped.report.problems[0]).toMatchObject({ where: 'alias file, line 1' });
    expect(swapped.report.records).toBe(5);
  });
});

describe('an identifier in the remarks', () => {
  it.each([
    ['Diplomatic Passport A0002987 (Iran)', 'passportNumber', 'A0002987'],
    ['Passport K754050 issued 26 May 1999 expires 25 May 2004', 'passportNumber', 'K754050'],
    ['Passport Booklet: A5199819 (Pakistan)', 'passportNumber', 'A5199819'],
    ['alt. Cedula No. 16247821 (Colombia)', 'idNumber', '16247821'],
    ['C.U.R.P. GAMR501027HSLXDG00 (Mexico)', 'idNumber', 'GAMR501027HSLXDG00'],
    ['Tax ID No. 100036386 (Serbia)', 'taxNumber', '100036386'],
    ['R.F.C. DIB-771110-HQ1 (Mexico)', 'taxNumber', 'DIB-771110-HQ1'],
    ['V.A.T. Number BG 121024920 (Bulgaria)', 'vatCode', 'BG 121024920'],
    ['Registration Number 02696754 (United Kingdom)', 'registrationNumber', '02696754'],
    ['Business Registration Document # F01000003035 (United States)', 'registrationNumber', 'F01000003035'],
    ['Identification Number 2.194.575 (Paraguay)', 'idNumber', '2.194.575'],
    ['Identification Number IMO 5342883', 'imoNumber', '5342883'],
    ['Company Number IMO 5055293', 'imoNumber', '5055293'],
    ['Government Gazette Number 09804148 (Russia)', 'okpoCode', '09804148'],
    ['BIK (RU) 044525607', 'bikCode', '044525607'],
    ["Aircraft Manufacturer's Serial Number (MSN) 1023409321", 'serialNumber', '1023409321'],
    ['Aircraft Construction Number (also called L/N or S/N or F/N) 8401', 'serialNumber', '8401'],
    ['Hull Number 5521-A', 'hullNumber', '5521-A'],
    ['Vessel Hull Identification Number (HIN) ABC12345D414', 'hullNumber', 'ABC12345D414'],
    ['Aircraft Tail Number N200VR', 'registrationNumber', 'N200VR'],
    ['alt. Digital Currency Address - ETH 0x7F367cC4', 'publicKey', '0x7F367cC4'],
    ["Driver's License No. 180839 (Mexico)", 'identifier', '180839'],
  ])('reads %s', (remark, kind, value) => {
    expect(findOfacIdentifier(remark)).toEqual({ kind, value });
  });

  it.each([
    'Passport lost',
    'arrested 23 Apr 2002',
    'Phone No. 98 21 123',
    'Linked To: COMPANY 3',
    'Vessel Type Tug 2',
  ])('ignores %s', (remark) => {
    expect(findOfacIdentifier(remark)).toBeUndefined();
  });

  const load = async (text: string, comments?: string) => {
    const main = `1,"QUILLFEATHER, Orla","individual","FIC1",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"${text}"\r\n`;
    const loaded = await loadBytes('ofac-csv', { main, ...(comments !== undefined && { comments }) });
    expect(loaded.report.problems).toEqual([]);
    return loaded.entities[0]!.identifiers.map(({ value }) => value);
  };
  const whole = `Passport K1234567; ${'x'.repeat(962)}; Passport L 7654321; Passport M7654321.`;

  it('drops an identifier that OFAC truncated', async () => {
    expect(await load(whole.slice(0, 1_000))).toEqual(['K1234567']);
    expect(await load(whole.replace('x'.repeat(100), ''))).toEqual(['K1234567', 'L 7654321', 'M7654321']);
  });

  it('joins an identifier that continues in the comments, wherever it was cut', async () => {
    const start = whole.indexOf('Passport L');
    for (let cut = start; cut < start + 25; cut++) {
      const comments = `1,"${whole.slice(cut)}"\r\n\u001a`;
      expect(await load(whole.slice(0, cut), comments)).toEqual(['K1234567', 'L 7654321', 'M7654321']);
    }
  });
});

describe('a date of birth in the remarks', () => {
  it.each([
    ['circa 05 May 1971', '1971-05-05~'],
    ['05 May 1971 to 07 Jun 1972', '1971-05-05/1972-06-07'],
    ['Aug 1966 to Sep 1967', '1966-08/1967-09'],
    ['circa 1960-1963', '1960/1963'],
    ['05 October 1939', '1939-10-05'],
    ['late 1960s', '1960/1969'],
    ['1962 to 1960', null],
    ['unknown', null],
  ])('reads %s', (text, date) => {
    expect(readOfacDate(text)).toBe(date);
  });
});
