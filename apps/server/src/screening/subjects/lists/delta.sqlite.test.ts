// A new list version gives the same alerts as screening everyone before and after, in any order of
// additions.
import type { ScreeningSubject } from '@limen/contract';
import { createScreener, type ListedEntity, readSubject as readForEngine, SubjectScreener } from '@limen/screening';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildTestIndex, createListedEntity, inventName } from '#testing/screening/listed-people.ts';
import { prepareWatching } from '#testing/screening/watching-place.ts';
import { readSubject } from '../../match/read-subject.ts';

/** A fixed seed makes failures reproducible. */
const SEED = 20_261_118;
const LISTED = 30;
const IMO = ['9074729', '9074731', '9990017'];

interface Kind {
  schema: string;
  names: readonly string[];
}

const PEOPLE: Kind = {
  schema: 'Person',
  names: Array.from({ length: 8 }, (_, at) => Object.values(inventName(at)).join(' ')).concat([
    'Majid Hossein Khademi',
    'Абдул Рахман Зеленков',
    'Sergei Petrovich Varlamov',
  ]),
};
const ORGANIZATIONS: Kind = {
  schema: 'Organization',
  names: [
    'Chaps Investment Inc.',
    'Highland Gold Mining Limited',
    'LLC Jet Snab',
    'Kay Zone Builders',
    'Islamic Quorvina Guard Corps',
    'Petrokick Trading Company Limited',
  ],
};
const SHIPS: Kind = { schema: 'Vessel', names: ['Ocean Breeze 2', 'Am Nok Gang', 'Harbour Lantern'] };
const KINDS = [PEOPLE, ORGANIZATIONS, SHIPS];

/** Ways in which another person spells a name */
const WAYS: readonly ((name: string, at: number) => string)[] = [
  (name) => name,
  (name, at) => name.slice(0, 1 + (at % (name.length - 1))) + name.slice(2 + (at % (name.length - 1))),
  (name) => name.split(' ').toReversed().join(' '),
  (name) => name.replace(' ', ''),
  (name) => name.replaceAll(' ', ''),
  (name, at) => {
    const words = name.split(' ');
    const word = words[at % words.length]!;
    return words.with(at % words.length, `${word.slice(0, word.length / 2)} ${word.slice(word.length / 2)}`).join(' ');
  },
  (name) => name.split(' ').slice(0, 2).join(' '),
  (name) => name.replace(/^(\p{L})\p{L}*/u, '$1.'),
  (name) => name.toUpperCase(),
];

interface Drawn {
  kind: number;
  name: number;
  way: number;
  at: number;
  year: number | null;
  country: number;
  imo: number;
}
const drawn: Record<keyof Drawn, fc.Arbitrary<number>> = {
  kind: fc.nat(KINDS.length - 1),
  name: fc.nat(99),
  way: fc.nat(WAYS.length - 1),
  at: fc.nat(30),
  year: fc.option(fc.integer({ min: 1950, max: 1953 })) as fc.Arbitrary<number>,
  country: fc.nat(2),
  imo: fc.nat(9),
};
const entity = fc.record({ ...drawn, isWeak: fc.boolean(), program: fc.nat(1) });
const version = fc.dictionary(
  fc.integer({ min: 0, max: LISTED - 1 }).map((id) => `e-${id}`),
  entity,
  { minKeys: 5, maxKeys: LISTED },
);
const subject = fc.record({ ...drawn, hasSchema: fc.boolean(), scoreThreshold: fc.constantFrom(0.7, 0.85, 0.95) });
type DrawnEntity = Drawn & { isWeak: boolean; program: number };
type DrawnSubject = Drawn & { hasSchema: boolean; scoreThreshold: number };

/** Returns the data of a generated person, listed or watched. */
function tell({ kind, name, way, at, year, country, imo }: Drawn) {
  const { schema, names } = KINDS[kind]!;
  return {
    schema,
    name: WAYS[way]!(names[name % names.length]!, at),
    birthDate: schema === 'Person' && year !== null ? String(year) : undefined,
    countries: country === 0 ? [] : [['ru', 'ir'][country - 1]!],
    identifiers: schema === 'Vessel' && imo < IMO.length ? [{ kind: 'imoNumber' as const, value: IMO[imo]! }] : [],
  };
}

const entitiesOf = (all: Record<string, DrawnEntity>): ListedEntity[] =>
  Object.entries(all).map(([id, one]) => {
    const { schema, name, birthDate, countries, identifiers } = tell(one);
    const aliases = one.isWeak ? { names: [`Unlike ${id} Quistorp`], weakNames: [name] } : {};
    const more = { schema, countries, identifiers, programs: [`P${one.program}`], ...aliases };
    return createListedEntity(id, one.isWeak ? `Unlike ${id} Quistorp` : name, birthDate, more);
  });

function subjectOf(one: DrawnSubject): Omit<ScreeningSubject, 'id'> {
  const { schema, name, birthDate, countries, identifiers } = tell(one);
  return {
    ...(one.hasSchema && { schema: schema as 'Person' }),
    name,
    ...(birthDate !== undefined && { birthDate }),
    countries,
    identifiers,
  };
}

it.each([
  ['everyone is screened', () => false],
  ['changes are looked up among the subjects', () => true],
])('holds for any two versions and any subjects if %s', async (_, isWorthIt) => {
  const place = await prepareWatching({ isWorthIt });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      version,
      version,
      fc.array(subject, { minLength: 5, maxLength: 15 }),
      async (one, two, watched) => {
        run += 1;
        const list = `list_${run}`;
        // Every other entity stays unchanged, so that some need no lookup.
        const kept = Object.fromEntries(Object.entries(one).filter((_, at) => at % 2 === 0));
        const versions = [entitiesOf(one), entitiesOf({ ...two, ...kept })] as const;
        const wanted = watched.map((it, at) => ({
          reference: `s-${at}`,
          dataset: list,
          subject: subjectOf(it),
          scoreThreshold: it.scoreThreshold,
        }));
        await place.publish(list, versions[0], '1');
        await place.follow();
        const ids = [];
        for (const subject of wanted.toReversed()) ids.push(await place.watch(subject));
        await place.work();
        const before = await place.alerts();
        await place.publish(list, versions[1], '2');
        await place.follow();
        const after = (await place.alerts()).slice(before.length);
        for (const id of ids) await place.unwatch(id);
        expect(before.toSorted()).toEqual(
          wanted.flatMap((it) => find(it, versions[0]).map((id) => `${it.reference} new ${id}`)).toSorted(),
        );
        const expected = wanted.flatMap((it) => tellDifference(it, ...versions));
        expect(after.toSorted()).toEqual(expected.toSorted());
      },
    ),
    // Shrinking a failure would exceed the test's timeout and hide it.
    { seed: SEED, numRuns: onlyWhenLong(150, 2), endOnFailure: true },
  );
});

/** One list's data on an entity that both lists may contain under one identity */
const entry = fc.record({ country: fc.nat(2), imo: fc.nat(9), program: fc.nat(1) });
const entries = fc.dictionary(
  fc.integer({ min: 0, max: LISTED - 1 }).map((id) => `e-${id}`),
  entry,
  { minKeys: 5, maxKeys: LISTED },
);
type Said = Record<string, Pick<DrawnEntity, 'country' | 'imo' | 'program'>>;
const asWritten = { way: fc.constant(0), isWeak: fc.constant(false), program: fc.constant(0) };
const people = fc.array(fc.record({ ...drawn, ...asWritten }), {
  minLength: LISTED,
  maxLength: LISTED,
});

it('holds for two lists that share entities with different data', async () => {
  const place = await prepareWatching({ isWorthIt: () => true });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      people,
      fc.array(entries, { minLength: 4, maxLength: 4 }),
      fc.array(subject, { minLength: 8, maxLength: 15 }),
      async (known, said, watched) => {
        run += 1;
        // One list keeps some of its data, and the other list keeps some.
        const [north, south, ...later] = said as [Said, Said, Said, Said];
        const kept = (all: Said, nth: number) =>
          Object.fromEntries(Object.entries(all).filter(([id]) => Number(id.slice(2)) % nth === 0));
        const versions = [north, south, { ...later[0], ...kept(north, 2) }, { ...later[1], ...kept(south, 3) }];
        const lists = versions.map((all) =>
          entitiesOf(
            Object.fromEntries(
              Object.entries(all).map(([id, told]) => [id, { ...known[Number(id.slice(2))]!, ...told } as DrawnEntity]),
            ),
          ),
        );
        const [first, second] = [lists.slice(0, 2), lists.slice(2)];
        const publish = async ([north, south]: ListedEntity[][], version: string) => {
          await place.publish('north', north!, `${run}.${version}`);
          await place.publish('south', south!, `${run}.${version}`);
          await place.follow();
        };
        const watchAll = async (mark: string) => {
          const ids: string[] = [];
          for (const [at, one] of watched.entries()) {
            const { scoreThreshold } = one;
            const reference = `${mark}-${at}`;
            ids.push(await place.watch({ reference, dataset: 'default', subject: subjectOf(one), scoreThreshold }));
          }
          await place.work();
          return ids;
        };
        await publish(first, '1');
        const ids = await watchAll('s');
        const before = (await place.alerts()).map((alert) => alert.split(' new ') as [string, string]);
        await publish(second, '2');
        const told = (await place.alerts()).slice(before.length);
        // Subjects added now are screened against everything.
        const fresh = await watchAll('t');
        const after = (await place.alerts())
          .slice(before.length + told.length)
          .map((alert) => alert.replace(/^t/, 's').split(' new ') as [string, string]);
        for (const id of [...ids, ...fresh]) await place.unwatch(id);
        expect(told.toSorted()).toEqual(tellBetween(before, after, first, second).toSorted());
      },
    ),
    { seed: SEED, numRuns: onlyWhenLong(100, 1), endOnFailure: true },
  );
});

type Found = readonly (readonly [reference: string, id: string])[];

/** Returns the difference between two full screenings, for entities that any list has changed. */
function tellBetween(before: Found, after: Found, first: ListedEntity[][], second: ListedEntity[][]): string[] {
  const textOf = (lists: ListedEntity[][], id: string, without: Partial<ListedEntity> = {}) =>
    lists.map((all) =>
      JSON.stringify(all.filter((entity) => entity.id === id).map((entity) => ({ ...entity, ...without }))),
    );
  const differs = (id: string, without?: Partial<ListedEntity>) =>
    String(textOf(first, id, without)) !== String(textOf(second, id, without));
  // A dropped entry creates no new hit, but changed data may.
  const mayCome = (id: string) =>
    [0, 1].some((at) => {
      const [old, now] = [textOf(first, id, { programs: [] })[at], textOf(second, id, { programs: [] })[at]];
      return now !== '[]' && now !== old;
    });
  const has = (found: Found, reference: string, id: string) => found.some(([r, i]) => r === reference && i === id);
  return [
    ...after
      .filter(([reference, id]) => !has(before, reference, id) && mayCome(id))
      .map(([reference, id]) => `${reference} new ${id}`),
    ...before
      .filter(([, id]) => differs(id))
      .map(([reference, id]) => `${reference} ${has(after, reference, id) ? 'changed' : 'removed'} ${id}`),
  ];
}

interface Wanted {
  reference: string;
  subject: Omit<ScreeningSubject, 'id'>;
  scoreThreshold: number;
}

/** Returns the ids found by a search of the whole list. */
function find({ subject: known, scoreThreshold }: Wanted, entities: ListedEntity[]): string[] {
  const index = buildTestIndex(entities);
  const screener = new SubjectScreener(index, createScreener(index));
  const read = readForEngine(readSubject(known, 'subject'));
  const { matches } = screener.screen(read, { limit: 50, threshold: scoreThreshold, topic: 'all' });
  return matches.map((match) => match.entity.id);
}

/**
 * Returns the difference between two full searches. Changes not caused by the list are reported
 * later.
 */
function tellDifference(wanted: Wanted, first: ListedEntity[], second: ListedEntity[]): string[] {
  const [before, after] = [find(wanted, first), find(wanted, second)];
  const textOf = (all: ListedEntity[], id: string) => JSON.stringify(all.find((entity) => entity.id === id) ?? null);
  const isTouched = (id: string) => textOf(first, id) !== textOf(second, id);
  const withoutProgram = (all: ListedEntity[], id: string) =>
    JSON.stringify(all.filter((entity) => entity.id === id).map((entity) => ({ ...entity, programs: [] })));
  // A changed program alone creates no new hit.
  const mayCome = (id: string) => withoutProgram(first, id) !== withoutProgram(second, id);
  return [
    ...after.filter((id) => !before.includes(id) && mayCome(id)).map((id) => `${wanted.reference} new ${id}`),
    ...before.filter(isTouched).map((id) => `${wanted.reference} ${after.includes(id) ? 'changed' : 'removed'} ${id}`),
  ];
}
