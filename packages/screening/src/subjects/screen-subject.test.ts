// A subject with all known facts: identifiers, countries and addresses besides names and dates of
// birth.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { createScreener, IndexBuilder, type ListedEntity } from '../index.ts';
import { SubjectScreener } from './screen-subject.ts';
import { readSubject, type Subject } from './subject.ts';

const MARWAN = listed(['Marwan Dellaji', 'Abu Ferry'], {
  id: 'marwan',
  birthDates: ['1961-04-09'],
  countries: ['Tunisia'],
  addresses: ['14 Rue des Tanneurs, 1002 Tunis'],
  identifiers: [{ kind: 'passportNumber', value: 'T 883-1207' }],
});
const LANTERN = listed('Harbour Lantern', {
  id: 'lantern',
  schema: 'Vessel',
  identifiers: [
    { kind: 'imoNumber', value: 'IMO 9074729' },
    { kind: 'callSign', value: 'HPQX77' },
    { kind: 'hullNumber', value: 'HULL 5521' },
    { kind: 'identifier', value: 'UN12345' },
  ],
});
const CROWD = ['Oline Brusk', 'Petra Vandel', 'Ferdo Malik', 'Anselm Quirt'].map((name) => listed(name));

function screenIn(entities: ListedEntity[]) {
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  const index = builder.finish();
  const screener = new SubjectScreener(index, createScreener(index));
  return (subject: Subject, threshold = 0.5, more: { without?: Set<string> } = {}) =>
    screener.screen(readSubject(subject), { limit: 5, topic: 'all', threshold, ...more }).matches;
}
const screen = screenIn([MARWAN, LANTERN, ...CROWD]);
const best = (subject: Subject) => screen(subject)[0];

describe('an equal strong identifier', () => {
  it('is a match by itself, with an explanation', () => {
    const hit = best({ names: ['Somebody Else'], identifiers: [{ value: 't8831207' }] });
    expect(hit).toMatchObject({ entity: { id: 'marwan' }, score: 0.97, nameScore: 0 });
    expect(hit?.features).toEqual({
      name: { agreement: 0, detail: 'the names are not alike', query: 'Somebody Else', candidate: 'Marwan Dellaji' },
      identifier: { agreement: 1, detail: 'same passport number', query: 't8831207', candidate: 'T 883-1207' },
    });
  });

  it('explains the name even if the date of birth excludes it from the search', () => {
    const kamel = listed('HAMRAVI, Kamel Ben Mouldi Ben Hassan', {
      birthDates: ['1977-10-21'],
      identifiers: [{ kind: 'passportNumber', value: 'P229856' }],
    });
    const subject = { schema: 'Person', names: ['Kamel Hamravi'], birthDate: '1940-10-21' };
    const [hit] = screenIn([kamel, ...CROWD])({ ...subject, identifiers: [{ value: 'P229856' }] });
    expect(hit).toMatchObject({ nameScore: 0, matchedName: kamel.caption });
    expect(hit?.features.name?.detail).toMatch(
      /^Kamel: same; Hamravi: same; .*; too little with these dates of birth$/,
    );
  });

  it('explains that names of different kinds are not compared', () => {
    const hit = best({ schema: 'Company', names: ['Marwan Dellaji'], identifiers: [{ value: 't8831207' }] });
    expect(hit?.features.name?.detail).toBe('not compared, because it is of another kind: Person');
  });

  it('explains that there is no name to compare', () => {
    const hit = best({ names: [], identifiers: [{ value: 't8831207' }] });
    expect(hit?.features.name).toMatchObject({ detail: 'no name was given', query: '', candidate: 'Marwan Dellaji' });
  });

  it('is certain together with the name', () => {
    expect(best({ names: ['Marwan Dellaji'], identifiers: [{ value: 'T8831207' }] })?.score).toBeGreaterThan(0.99);
  });

  it('needs no name', () => {
    const hit = best({ names: [], identifiers: [{ kind: 'imoNumber', value: '9074729' }] });
    expect(hit?.entity.id).toBe('lantern');
    expect(hit?.features.name).toMatchObject({ agreement: 0, detail: 'no name was given', query: '' });
  });

  it.each<[string, Partial<Subject>]>([
    ['a country', { countries: ['Norway'] }],
    ['a birth date', { birthDate: '1985-01-01' }],
  ])('counts less if contradicted by %s', (_, more) => {
    const { score } = best({ schema: 'Person', names: ['Somebody'], identifiers: [{ value: 'T8831207' }], ...more })!;
    expect(score).toBeLessThan(0.95);
    expect(score).toBeGreaterThan(0.85);
  });

  it.each<[string, Partial<Subject>]>([
    ['a country', { countries: ['Norway'] }],
    ['a birth date', { birthDate: '1985-01-01' }],
    ['a birth date without a schema', { schema: undefined, birthDate: '1985-01-01' }],
  ])('counts less if contradicted by %s and without a name', (_, more) => {
    const hit = best({ schema: 'Person', names: [], identifiers: [{ value: 'T8831207' }], ...more })!;
    expect(hit.score).toBeLessThan(0.95);
    expect(hit.score).toBeGreaterThan(0.85);
    expect((hit.features.country ?? hit.features.birthDate)?.agreement).toBe(0);
  });

  it.each<[string, Subject]>([
    ['a person and a ship', { schema: 'Person', names: ['Somebody'], identifiers: [{ value: '9074729' }] }],
    ['a person without a name and a ship', { schema: 'Person', names: [], identifiers: [{ value: '9074729' }] }],
    ['somebody born and a ship', { names: [], birthDate: '1961-04-09', identifiers: [{ value: '9074729' }] }],
    ['a ship and a person', { schema: 'Vessel', names: ['Lantern'], identifiers: [{ value: 'T8831207' }] }],
    ['a ship without a name and a person', { schema: 'Vessel', names: [], identifiers: [{ value: 'T8831207' }] }],
    ['a company and a person', { schema: 'Company', names: ['Dellaji'], identifiers: [{ value: 'T8831207' }] }],
  ])('counts less and explains why if it is of %s', (_, subject) => {
    const hit = best(subject)!;
    expect(hit.score).toBeLessThan(0.85);
    expect(hit.features.identifier?.detail).toMatch(/^same .*, but of another kind: (Person|Vessel)$/);
  });

  it.each<Subject['schema']>(['LegalEntity', 'Person', undefined])('counts in full for the schema %s', (schema) => {
    expect(best({ schema, names: [], identifiers: [{ value: 'T8831207' }] })?.score).toBe(0.97);
  });

  it('does not match a tax number with the digits of a passport', () => {
    expect(screen({ names: [], identifiers: [{ kind: 'taxNumber', value: 'T8831207' }] })).toEqual([]);
    expect(best({ names: [], identifiers: [{ kind: 'identifier', value: 'T8831207' }] })?.score).toBe(0.97);
  });

  it('counts together with a weaker one that also matches', () => {
    const identifiers = [{ kind: 'callSign', value: 'HPQX77' } as const, { value: '9074729' }];
    expect(best({ names: [], identifiers })?.score).toBe(0.97);
  });

  it('does not match equal codes of different kinds', () => {
    expect(screen({ names: [], identifiers: [{ kind: 'leiCode', value: '9074729' }] })).toEqual([]);
  });
});

describe('weak evidence', () => {
  it('is no match by itself', () => {
    expect(screen({ names: [], identifiers: [{ kind: 'callSign', value: 'HPQX77' }] })).toEqual([]);
    expect(screen({ names: ['Nobody'], countries: ['tn'], addresses: MARWAN.addresses })).toEqual([]);
    expect(screen({ names: [], identifiers: [{ kind: 'hullNumber', value: 'HULL 5521' }] })).toEqual([]);
    // If the list's kind is unknown, it counts as the kind that was sent.
    expect(screen({ names: [], identifiers: [{ kind: 'callSign', value: 'UN12345' }] })).toEqual([]);
  });

  it('includes a hull number with the name of a ship', () => {
    const alone = best({ schema: 'Vessel', names: ['Harbour Lantern'] })!.score;
    const identifiers = [{ kind: 'hullNumber', value: 'Hull-5521' }] as const;
    const hit = best({ schema: 'Vessel', names: ['Harbour Lantern'], identifiers })!;
    expect(hit.score).toBeGreaterThan(alone);
    expect(hit.features.identifier?.detail).toBe('same hull number');
  });

  it('never raises a name into the review band', () => {
    const names = ['Marwan', 'Dellaji', 'Marwan Delacroix', 'M. Dellaji', 'Marwin Delladi', 'Abu Fery'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.boolean(), fc.boolean(), (name, withCountry, withAddress) => {
        const alone = best({ names: [name] })?.score ?? 0;
        const more = {
          ...(withCountry && { countries: ['TN'] }),
          ...(withAddress && { addresses: ['Tunis 1002, rue des tanneurs 14'] }),
        };
        const together = best({ names: [name], ...more })?.score ?? 0;
        expect(together).toBeGreaterThanOrEqual(alone);
        if (alone < 0.85) expect(together).toBeLessThan(0.85);
      }),
    );
  });

  it.each<[string, Partial<Subject>]>([
    ['a country', { countries: ['TN'] }],
    ['an address', { addresses: ['Tunis 1002, rue des tanneurs 14'] }],
  ])('raises a match in the review band: %s', (_, more) => {
    const alone = best({ names: ['Marwan Dellaji'] })!.score;
    expect(best({ names: ['Marwan Dellaji'], ...more })!.score).toBeGreaterThan(alone);
  });
});

describe('contradicting evidence', () => {
  it('includes a different country', () => {
    const alone = best({ names: ['Marwan Dellaji'] })!.score;
    const hit = best({ names: ['Marwan Dellaji'], countries: ['Norway'] })!;
    expect(hit.score).toBeLessThan(alone);
    expect(hit.features.country).toEqual({
      agreement: 0,
      detail: 'no country in common',
      query: 'no',
      candidate: 'tn',
    });
  });

  it('leaves a complete name at the threshold and a partial one below it', () => {
    const elsewhere = { schema: 'Person', countries: ['Norway'] };
    expect(best({ names: ['Marwan Dellaji'], ...elsewhere })!.score).toBe(0.95);
    const part = best({ names: ['Marwan Delaji'] })!.score;
    expect(part).toBeGreaterThanOrEqual(0.95);
    expect(best({ names: ['Marwan Delaji'], ...elsewhere })!.score).toBeCloseTo(0.96 * part, 4);
    const born = { names: ['Marwan Dellaji'], birthDate: '1985-01-01' };
    expect(best({ ...born, ...elsewhere })!.score).toBeCloseTo(0.96 * best(born)!.score, 4);
  });

  it('excludes unknown countries', () => {
    expect(best({ names: ['Marwan Dellaji'], countries: ['Atlantis'] })!.features.country).toBeUndefined();
  });

  it('includes a different number for life, because ships share names', () => {
    const alone = best({ schema: 'Vessel', names: ['Harbour Lantern'] })!.score;
    const identifiers = [{ kind: 'imoNumber', value: '9074731' }] as const;
    const other = best({ schema: 'Vessel', names: ['Harbour Lantern'], identifiers })!;
    expect(other.score).toBeLessThan(0.8 * alone);
    expect(other.features.identifier?.detail).toBe('another IMO number');
  });

  it('excludes different passports, because people have several', () => {
    const identifiers = [{ kind: 'passportNumber', value: 'X1234567' }] as const;
    const alone = best({ names: ['Marwan Dellaji'] })!.score;
    expect(best({ names: ['Marwan Dellaji'], identifiers })!.score).toBe(alone);
  });
});

describe('a subject', () => {
  it('is found by any of its names, once', () => {
    const hits = screen({ names: ['Nobody Known', 'Dellaji Marwan', 'Marwan Dellaji'] });
    expect(hits.map(({ entity }) => entity.id)).toEqual(['marwan']);
  });

  it('may have separate given and family names', () => {
    const person = { firstName: 'Marwan', lastName: 'Dellaji' };
    expect(best({ names: [], person, birthDate: '1961-04-09' })).toMatchObject({
      score: 1,
      matchedName: 'Marwan Dellaji',
    });
  });

  it('excludes unwanted entities', () => {
    expect(screen({ names: ['Marwan Dellaji'] }, 0.5, { without: new Set(['marwan']) })).toEqual([]);
  });

  it('gets a warning for an invalid date of birth even without a name', () => {
    const { warnings } = readSubject({ names: [], identifiers: [{ value: 'T8831207' }], birthDate: 'soon' });
    expect(warnings).toEqual(['The date of birth is not a date (YYYY-MM-DD); screened on the name alone.']);
  });

  it('gets a short warning for unknown countries', () => {
    const countries = ['no', 'DEU', ...Array.from({ length: 20 }, (_, at) => `Narnia ${at} ${'x'.repeat(400)}`)];
    const { warnings } = readSubject({ names: ['Marwan Dellaji'], countries });
    expect(warnings).toEqual([expect.stringMatching(/^Countries that are not known, not compared: Narnia 0 .*, …\.$/)]);
    expect(warnings[0]!.length).toBeLessThan(400);
  });

  it('gets a warning if nothing can be screened', () => {
    const { warnings } = readSubject({ names: ['—'], identifiers: [{ value: '12' }] });
    expect(warnings).toContain('The subject has neither a name nor an identifier that can be screened.');
    expect(warnings).toContain('Identifiers too short or too general to tell anybody, not compared: 1.');
  });

  it('costs no more than its first names if it has too many', () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `Invented ${at} Name`);
    const { queries, warnings } = readSubject({ names });
    expect(queries).toHaveLength(21);
    expect(warnings[0]).toMatch(/more than 21 names/);
  });
});
