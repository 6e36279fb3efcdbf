// A new version of a list tells the same as screening everybody before and after would, in whatever order they were added.
import {
  createScreener,
  createSubjectScreener,
  type ListedEntity,
  readSubject as readForEngine,
} from '@limen/screening';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashEntry } from '../../screening/hash-known.ts';
import { readSubject } from '../../screening/subjects/read-subject.ts';
import { writeMatch } from '../../screening/subjects/write-result.ts';
import { indexOf, inventName, listed } from '../../screening/testing/listed-people.ts';
import type { Finding } from '../contents.ts';
import { diffHits } from '../diff-hits.ts';
import { prepareWatching } from '../testing/watching-place.ts';

const NAMES = 12;
const LISTED = 30;

/** A name as somebody else would write it. */
function misspell(name: string, how: number): string {
  const at = 1 + (how % (name.length - 2));
  if (how % 3 === 0) return name;
  return how % 3 === 1 ? name.slice(0, at) + name.slice(at + 1) : name.split(' ').toReversed().join(' ');
}

const nameOf = (number: number) => {
  const { first, last } = inventName(number % NAMES);
  return `${first} ${last}`;
};

const entity = fc.record({
  number: fc.nat(99),
  how: fc.nat(30),
  year: fc.option(fc.integer({ min: 1950, max: 1953 })),
  program: fc.nat(1),
});
const version = fc.dictionary(
  fc.integer({ min: 0, max: LISTED - 1 }).map((id) => `e-${id}`),
  entity,
  { minKeys: 5, maxKeys: LISTED },
);
const subject = fc.record({
  number: fc.nat(99),
  how: fc.nat(30),
  year: fc.option(fc.integer({ min: 1950, max: 1953 })),
  scoreThreshold: fc.constantFrom(0.7, 0.85, 0.95),
});

type Version = Record<string, { number: number; how: number; year: number | null; program: number }>;
const entitiesOf = (all: Version): ListedEntity[] =>
  Object.entries(all).map(([id, { number, how, year, program }]) =>
    listed(id, misspell(nameOf(number), how), year === null ? undefined : String(year), { programs: [`P${program}`] }),
  );

it.each([
  ['everybody is screened', () => false],
  ['the changes are looked up among the subjects', () => true],
])('holds for any two versions and any subjects where %s', async (_, isWorthIt) => {
  const place = await prepareWatching({ isWorthIt });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(version, version, fc.array(subject, { minLength: 3, maxLength: 12 }), async (one, two, drawn) => {
      run += 1;
      const list = `list_${run}`;
      // Every other entity stays as it was, so that there is something not to look at.
      const kept = Object.fromEntries(Object.entries(one).filter((_, at) => at % 2 === 0));
      const versions = [entitiesOf(one), entitiesOf({ ...two, ...kept })] as const;
      const wanted = drawn.map(({ number, how, year, scoreThreshold }, at) => ({
        reference: `s-${at}`,
        dataset: list,
        subject: { name: misspell(nameOf(number), how), ...(year !== null && { birthDate: String(year) }) },
        scoreThreshold,
      }));
      await place.publish(list, versions[0], '1');
      await place.follow();
      const ids = [];
      for (const it of wanted.toReversed()) ids.push(await place.watch(it));
      await place.work();
      const before = await place.alerts();
      await place.publish(list, versions[1], '2');
      await place.follow();
      const after = (await place.alerts()).slice(before.length);
      for (const id of ids) await place.unwatch(id);

      const expected = wanted.flatMap((it) => expectAlerts(it, ...versions));
      expect(before.toSorted()).toEqual(
        expected
          .filter(({ version: at }) => at === 1)
          .map(({ text }) => text)
          .toSorted(),
      );
      expect(after.toSorted()).toEqual(
        expected
          .filter(({ version: at }) => at === 2)
          .map(({ text }) => text)
          .toSorted(),
      );
    }),
    // To shrink what failed would take longer than the test has, and end in a timeout that says nothing.
    { numRuns: onlyWhenLong(60, 3), endOnFailure: true },
  );
});

type Wanted = {
  reference: string;
  dataset: string;
  subject: { name: string; birthDate?: string };
  scoreThreshold: number;
};

function expectAlerts(
  { reference, subject: known, scoreThreshold }: Wanted,
  first: ListedEntity[],
  second: ListedEntity[],
) {
  const find = (entities: ListedEntity[]): Finding[] => {
    const index = indexOf(entities);
    const screener = createSubjectScreener(index, createScreener(index));
    const read = readForEngine(readSubject(known, 'subject'));
    const { matches } = screener.screen(read, { limit: 50, threshold: scoreThreshold, topic: 'all' });
    return matches.map((match) => ({
      list: 'north',
      listVersion: '',
      engineVersion: '',
      subjectHash: '',
      entryHash: hashEntry(match.entity),
      match: writeMatch(match),
    }));
  };
  const [earlier, later] = [first, second].map((entities) => new Map(entities.map((one) => [one.id, one])));
  const isChanged = (id: string, isKnown: boolean) => {
    const [one, other] = [earlier!.get(id), later!.get(id)];
    if (!one || !other) return true;
    // What the programme is makes nobody a hit.
    return hashEntry(one) !== hashEntry(isKnown ? other : { ...other, programs: one.programs });
  };
  const [before, after] = [find(first), find(second)];
  const looked = { isSettled: () => true };
  const changes = [
    ...diffHits([], before, { ...looked, concerns: () => true }).map((change) => ({ change, version: 1 })),
    ...diffHits(before, after, { ...looked, concerns: isChanged }).map((change) => ({ change, version: 2 })),
  ];
  return changes
    .filter(({ change }) => change.change !== 'refreshed' && change.change !== 'seen')
    .map(({ change, version: at }) => {
      const { match } = change.change === 'removed' ? change.stored : change.found;
      return { version: at, text: `${reference} ${change.change} ${match.id}` };
    });
}
