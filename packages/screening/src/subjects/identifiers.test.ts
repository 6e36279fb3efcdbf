// Strength of an equal identifier, and the effect of a different one.
import { describe, expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { createScreener, type IdentifierKind, IndexBuilder, type ListedEntity } from '../index.ts';
import { SubjectScreener } from './screen-subject.ts';
import { readSubject, type Subject } from './subject.ts';

function screenIn(...entities: ListedEntity[]) {
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  const index = builder.finish();
  const screener = new SubjectScreener(index, createScreener(index));
  return (subject: Partial<Subject>, limit = 5) => {
    const read = readSubject({ names: [], ...subject });
    return { ...screener.screen(read, { limit, topic: 'all', threshold: 0.5 }), warnings: read.warnings };
  };
}
const scoreIn = (entity: ListedEntity, subject: Partial<Subject>) => screenIn(entity)(subject).matches[0]?.score ?? 0;

const company = (identifiers: ListedEntity['identifiers'], countries = ['ir']) =>
  listed('Orvelia Petrochemical Works', { schema: 'Company', countries, identifiers });

describe('a call sign of four characters', () => {
  const ship = listed('ORVELIA STAR', { schema: 'Vessel', identifiers: [{ kind: 'callSign', value: '5IRV' }] });
  const asked = (value: string, kind: IdentifierKind | undefined = 'callSign') =>
    screenIn(ship)({ schema: 'Vessel', names: ['ORVELIA STAR 2'], identifiers: [{ kind, value }] });

  it('supports a name but makes no match by itself', () => {
    expect(asked('5IRV').warnings).toEqual([]);
    expect(asked('5 I R V').matches[0]!.score).toBeGreaterThan(asked('5IRW').matches[0]!.score);
    expect(asked('5IRV').matches[0]!.score).toBeLessThan(0.85);
    const alone = { schema: 'Vessel', names: ['ZELVAR'], identifiers: [{ kind: 'callSign' as const, value: '5IRV' }] };
    expect(screenIn(ship)(alone).matches).toEqual([]);
  });

  it('does not count without its kind', () => {
    expect(asked('5IRV', 'identifier').warnings).toEqual([expect.stringContaining('too short')]);
  });
});

describe('a number that others may also have', () => {
  it.each<[string, string, IdentifierKind | undefined, IdentifierKind, string[]]>([
    ['is short', '10345', undefined, 'identifier', []],
    ['is short in the same country', '10345', 'registrationNumber', 'registrationNumber', ['ir']],
    ['is filled up with zeros', '0000010345', undefined, 'identifier', []],
    ['is of no known kind', '12345678', undefined, 'identifier', []],
    ['is of no known kind in another country', '123456789012', undefined, 'identifier', ['ca']],
    ['is of another register', '1234567890', 'registrationNumber', 'registrationNumber', ['ca']],
    ['is of another tax office', '1234567890', undefined, 'taxNumber', ['ca']],
  ])('is a lead if it %s and the names differ', (_, value, kind, listedKind, countries) => {
    const subject = {
      schema: 'Company',
      names: ['Totally Different Bakery'],
      identifiers: [{ kind, value }],
      countries,
    };
    const score = scoreIn(company([{ kind: listedKind, value }]), subject);
    expect(score).toBeGreaterThan(0.5);
    expect(score).toBeLessThan(0.85);
  });

  it.each<[string, string, IdentifierKind | undefined, IdentifierKind, string[]]>([
    ['a tax number', '1234567890', undefined, 'taxNumber', []],
    ['a registration number in the same country', '12345678', 'registrationNumber', 'registrationNumber', ['ir']],
    ['a long number of no known kind', '123456789', undefined, 'identifier', []],
    ['a passport of somebody who lives elsewhere', 'T8831207', 'passportNumber', 'identifier', ['ca']],
    ['an IMO number', '9074729', undefined, 'imoNumber', ['ca']],
  ])('is not %s', (_, value, kind, listedKind, countries) => {
    expect(
      scoreIn(company([{ kind: listedKind, value }]), { identifiers: [{ kind, value }], countries }),
    ).toBeGreaterThan(0.9);
  });

  it.each<[string, string, string[], number]>([
    ['Orvelia Petrochemical', 'Company', [], 0.8499],
    ['Orvelia Petrochemical', 'Company', ['ca'], 0.8159],
    ['Orvelia Maritime Services', 'Company', ['ca'], 0.74],
  ])('leaves the lead %s a lead', (name, schema, countries, most) => {
    const subject = { schema, names: [name], countries, identifiers: [{ value: '10345' }] };
    expect(scoreIn(company([{ kind: 'identifier', value: '10345' }]), subject)).toBe(most);
  });

  it('confirms a name that is already worth a review', () => {
    const subject = { schema: 'Company', names: ['Orvelia Petrochemical Works'], identifiers: [{ value: '10345' }] };
    expect(scoreIn(company([{ kind: 'identifier', value: '10345' }]), subject)).toBeGreaterThan(0.99);
  });
});

describe('an equal number with a different country', () => {
  const elsewhere = (kind: IdentifierKind, value: string, names: string[], asked: IdentifierKind | undefined = kind) =>
    scoreIn(company([{ kind, value }]), {
      schema: 'Company',
      names,
      countries: ['ga'],
      identifiers: [{ kind: asked, value }],
    });

  it.each<[IdentifierKind, string]>([
    ['imoNumber', '9074729'],
    ['leiCode', '5493001KJTIIGC8Y1R12'],
    ['isin', 'US0378331005'],
    ['swiftBic', 'ORVEIRTH'],
    ['publicKey', '0x52908400098527886E0F7030069857D2E4169EE7'],
    ['dunsCode', '150483782'],
    ['uniqueEntityId', 'ZQGGHJH74DW7'],
    ['innCode', '7707083893'],
    ['ogrnCode', '1027700132195'],
    ['mmsi', '422316000'],
    ['wikidataId', 'Q1234567'],
  ])('matches under any name with %s, at a slightly lower score', (kind, value) => {
    expect(elsewhere(kind, value, ['Totally Different Bakery'])).toBe(0.96);
    expect(elsewhere(kind, value, ['Totally Different Bakery'], undefined)).toBe(0.96);
    expect(elsewhere(kind, value, ['Orvelia Petrochemical Works'])).toBeGreaterThan(0.98);
  });

  it.each<[IdentifierKind, string, number]>([
    ['passportNumber', 'T8831207', 0.91],
    ['idNumber', '19610409123', 0.91],
    ['socialSecurityNumber', '078051120', 0.91],
    ['taxNumber', '1234567890', 0.74],
    ['vatCode', '123456789', 0.74],
    ['registrationNumber', '1234567890', 0.74],
  ])('matches with the name for %s, but not without it', (kind, value, alone) => {
    expect(elsewhere(kind, value, ['Totally Different Bakery'])).toBe(alone);
    expect(elsewhere(kind, value, ['Orvelia Petrochemical Works'])).toBeGreaterThan(0.96);
  });
});

it.each<[string, Partial<Subject>]>([
  ['another country', { birthDate: '1961-04-09', countries: ['no'] }],
  ['another year of birth', { birthDate: '1963-04-09' }],
])('ignores a different passport with the same name and %s', (_, more) => {
  const passport = { kind: 'passportNumber', value: 'T8831207' } as const;
  const entity = listed('Marwan Dellaji', { birthDates: ['1961-04-09'], countries: ['tn'], identifiers: [passport] });
  const subject = { schema: 'Person', names: ['Marwan Dellaji'], ...more };
  expect(scoreIn(entity, { ...subject, identifiers: [passport] })).toBeGreaterThanOrEqual(scoreIn(entity, subject));
});

it('treats an equal passport with a different name, date of birth and country as a lead', () => {
  const entity = listed('Marwan Dellaji', {
    birthDates: ['1961-04-09'],
    countries: ['tn'],
    identifiers: [{ kind: 'passportNumber', value: 'T8831207' }],
  });
  const subject = { schema: 'Person', names: ['Oline Brusk'], birthDate: '2000-01-01', countries: ['no'] };
  expect(scoreIn(entity, { ...subject, identifiers: [{ kind: 'passportNumber', value: 'T8831207' }] })).toBeLessThan(
    0.85,
  );
});

describe('a different number for life', () => {
  const queen = listed('Harbour Queen', {
    schema: 'Vessel',
    identifiers: [
      { kind: 'imoNumber', value: '9074729' },
      { kind: 'callSign', value: 'HPQX7' },
      { kind: 'mmsi', value: '352001234' },
    ],
  });

  it.each<[string, ListedEntity['identifiers'][number]]>([
    ['a call sign', { kind: 'callSign', value: 'HPQX7' }],
    ['an MMSI', { kind: 'mmsi', value: '352001234' }],
  ])('counts together with an equal %s, and both are reported', (_, same) => {
    const subject = {
      schema: 'Vessel',
      names: ['Harbour Queen'],
      identifiers: [{ kind: 'imoNumber', value: '9074731' } as const, same],
    };
    const [hit] = screenIn(queen)(subject).matches;
    expect(hit!.score).toBeLessThan(0.76);
    expect(hit!.features.identifier!.detail).toMatch(
      /^same (call sign|MMSI), but another IMO number: 9074731, listed 9074729$/,
    );
  });

  it.each<[IdentifierKind, string, string]>([
    ['imoNumber', '9074729', '9074731'],
    ['leiCode', '529900T8BM49AURSDO55', '213800WSGIIZCXF1P572'],
    ['innCode', '7707083893', '7736050003'],
    ['ogrnCode', '1027700132195', '1027700070518'],
    ['uniqueEntityId', 'ZQGGHJH74DW7', 'ZQGGHJH74DW8'],
  ])('of the kind %s contradicts a name', (kind, value, other) => {
    const entity = company([{ kind, value }]);
    const alone = scoreIn(entity, { schema: 'Company', names: entity.names });
    const against = scoreIn(entity, { schema: 'Company', names: entity.names, identifiers: [{ kind, value: other }] });
    expect(against).toBeCloseTo(0.75 * alone, 3);
  });

  it('does not outweigh an equal one', () => {
    const entity = company([
      { kind: 'leiCode', value: '529900T8BM49AURSDO55' },
      { kind: 'innCode', value: '7707083893' },
    ]);
    const identifiers = [
      { kind: 'innCode', value: '7736050003' },
      { kind: 'leiCode', value: '529900T8BM49AURSDO55' },
    ] as const;
    expect(scoreIn(entity, { identifiers })).toBeCloseTo(0.92);
  });

  it('does not count if one of several is equal', () => {
    const entity = company([{ kind: 'leiCode', value: '529900T8BM49AURSDO55' }]);
    const identifiers = [
      { kind: 'leiCode', value: '213800WSGIIZCXF1P572' },
      { kind: 'leiCode', value: '529900T8BM49AURSDO55' },
    ] as const;
    expect(scoreIn(entity, { identifiers })).toBe(0.97);
  });

  it('does not count if it is listed under another kind', () => {
    const entity = company([
      { kind: 'taxNumber', value: '7707083893' },
      { kind: 'innCode', value: '7736050003' },
    ]);
    expect(scoreIn(entity, { identifiers: [{ kind: 'innCode', value: '7707083893' }] })).toBe(0.97);
  });

  it('does not include ISINs of other securities', () => {
    const entity = company([{ kind: 'isin', value: 'US0378331005' }]);
    const subject = { schema: 'Company', names: entity.names };
    expect(scoreIn(entity, { ...subject, identifiers: [{ kind: 'isin', value: 'XS0000000009' }] })).toBe(
      scoreIn(entity, subject),
    );
  });
});

describe('a number of unknown kind', () => {
  const against = (listedOne: ListedEntity['identifiers'][number], value: string) => {
    const entity = company([listedOne]);
    return scoreIn(entity, { schema: 'Company', names: entity.names, identifiers: [{ value }] });
  };

  it.each<[string, IdentifierKind, string]>([
    ['IMO 9074729', 'imoNumber', '9074731'],
    ['9074729 IMO', 'imoNumber', '9074731'],
    ['529900T8BM49AURSDO55', 'leiCode', '213800WSGIIZCXF1P572'],
    ['ИНН 7707083893', 'innCode', '7736050003'],
  ])('contradicts another one if its format reveals the kind: %s', (value, kind, other) => {
    expect(against({ kind, value: other }, value)).toBeLessThan(0.76);
  });

  it('contradicts no one if its format reveals nothing', () => {
    expect(against({ kind: 'imoNumber', value: '9074731' }, '9074729')).toBeGreaterThan(0.97);
  });

  it('is compared with all kinds', () => {
    const entity = company([{ kind: 'registrationNumber', value: '529900T8BM49AURSDO55' }]);
    expect(scoreIn(entity, { identifiers: [{ value: 'LEI 529900T8BM49AURSDO55' }] })).toBe(0.97);
  });
});

describe('a bank code', () => {
  it.each([
    ['SABRRUMM', 'SABRRUMMNA1'],
    ['SABRRUMMNA1', 'SABRRUMM'],
    ['SABRRUMM012', 'SABRRUMMNA1'],
  ])('%s is found as %s', (value, asked) => {
    const search = screenIn(company([{ kind: 'swiftBic', value }]));
    for (const kind of ['swiftBic', undefined] as const)
      expect(search({ identifiers: [{ kind, value: asked }] }).matches[0]).toMatchObject({
        score: 0.97,
        features: { identifier: { detail: 'same bank, by its SWIFT code' } },
      });
  });

  it('differs from that of another bank and from its own truncation', () => {
    expect(
      scoreIn(company([{ kind: 'swiftBic', value: 'SABRRUMM' }]), { identifiers: [{ value: 'SABRRU2PXXX' }] }),
    ).toBe(0);
    expect(
      scoreIn(company([{ kind: 'passportNumber', value: 'SABRRU12' }]), { identifiers: [{ value: 'SABRRU12345' }] }),
    ).toBe(0);
  });
});

describe('a VAT number', () => {
  it.each<[string, string]>([
    ['DE123456789', '123456789'],
    ['123456789', 'DE123456789'],
    ['CHE-123.456.789', '123456789'],
    ['ATU12345678', 'U12345678'],
  ])('%s is found as %s', (value, asked) => {
    const entity = company([{ kind: 'vatCode', value }], []);
    expect(scoreIn(entity, { identifiers: [{ kind: 'vatCode', value: asked }] })).toBe(0.97);
  });

  it('differs in another country', () => {
    const search = screenIn(company([{ kind: 'vatCode', value: 'DE123456789' }], ['de']));
    expect(search({ identifiers: [{ kind: 'vatCode', value: 'FR123456789' }] }).matches).toEqual([]);
    expect(
      search({ identifiers: [{ kind: 'vatCode', value: '123456789' }], countries: ['fr'] }).matches[0]!.score,
    ).toBeLessThan(0.85);
  });

  it('is not a passport without its series', () => {
    const search = screenIn(company([{ kind: 'passportNumber', value: 'DE123456789' }], []));
    expect(search({ identifiers: [{ value: '123456789' }] }).matches).toEqual([]);
  });
});

describe('a number with many holders', () => {
  const holders = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      listed(`Holder ${at}`, {
        id: `holder-${at}`,
        schema: 'Company',
        identifiers: [{ kind: 'registrationNumber', value: '1234567890' }],
      }),
    );

  it('identifies no one, costs no more than its first holders, and warns', () => {
    const { matches, complete, warnings } = screenIn(...holders(150))({ identifiers: [{ value: '1234567890' }] }, 500);
    expect(matches).toHaveLength(100);
    expect(matches[0]).toMatchObject({
      score: 0.8,
      features: { identifier: { detail: 'same registration number, which many entities have' } },
    });
    expect(complete).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('more than 100 entities')]);
  });

  it('identifies each holder if there are up to a hundred', () => {
    const { matches, complete, warnings } = screenIn(...holders(100))({ identifiers: [{ value: '1234567890' }] }, 500);
    expect(matches.map(({ score }) => score)).toEqual(Array.from({ length: 100 }, () => 0.97));
    expect([complete, warnings]).toEqual([true, []]);
  });
});
