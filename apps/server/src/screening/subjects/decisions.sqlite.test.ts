// A decision holds as long as everything that it was based on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching, type WatchingPlace } from '#testing/screening/watching-place.ts';

const KNOWN = {
  schema: 'Person' as const,
  name: 'Torvald Eskeland',
  aliases: ['T. Eskeland', 'Torvald'],
  birthDate: '1961-04-09',
};
const PASSPORT = { kind: 'passportNumber', value: 'N1234567' } as const;
const ENTRY = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09', { identifiers: [PASSPORT] });

let place: WatchingPlace;
beforeAll(async () => {
  place = await prepareWatching({ atEnd: afterAll });
});

let lists = 0;
async function decideOnTorvald() {
  lists += 1;
  const list = `list_${lists}`;
  await place.publish(list, [ENTRY], '1');
  await place.follow();
  const put = (subject: object = {}, more: object = {}) =>
    place.watch({ reference: list, dataset: list, subject: { ...KNOWN, ...subject }, ...more });
  const id = await put();
  await place.work();
  const hit = async () => (await place.watched.hits.list((await place.watched.find(OWNER, id)).row))[0]!;
  const decide = async () => {
    const { row, entryHash } = await hit();
    const made = { decision: 'not_this_subject', reason: 'Another passport.', author: 'A. Analyst' } as const;
    await place.watched.hits.decide(OWNER, id, row.id, { ...made, entryHash });
  };
  await decide();
  /** Newest first */
  const alerts = async () =>
    (await place.watched.alerts(OWNER, { limit: 10, before: undefined, subjectId: id })).map(({ content }) => content);
  return { list, hit, put, decide, alerts };
}

describe('a decision', () => {
  it('lapses if the subject gains the listed identifier, even if the score was already the maximum', async () => {
    const { hit, put, alerts } = await decideOnTorvald();
    expect((await hit()).match.score).toBe(1);
    await put({ identifiers: [PASSPORT] });
    await place.work();
    expect((await hit()).match.score).toBe(1);
    expect((await hit()).decided).toBeUndefined();
    expect((await alerts())[0]).toMatchObject({ because: ['subject'], lapsed: { decision: 'not_this_subject' } });
  });

  it('holds if the same data is reordered, or if uncompared data changes', async () => {
    const { hit, put, alerts } = await decideOnTorvald();
    await put({ aliases: KNOWN.aliases.toReversed() }, { scoreThreshold: 0.9 });
    await place.work();
    expect((await hit()).decided).toBeDefined();
    expect(await alerts()).toHaveLength(1);
  });

  it('on a hit from older data lapses when the subject is screened with its current data', async () => {
    const { hit, put, decide, alerts } = await decideOnTorvald();
    await put({ identifiers: [PASSPORT] });
    await decide();
    await place.work();
    expect((await hit()).decided).toBeUndefined();
    expect((await alerts())[0]).toMatchObject({ because: ['subject'] });
    // A decision on the current data holds.
    await decide();
    await put({ identifiers: [PASSPORT] }, { scoreThreshold: 0.9 });
    await place.work();
    expect((await hit()).decided).toBeDefined();
  });

  it('lapses when the entry changes, and the alert shows the entry before and after', async () => {
    const { list, hit, alerts } = await decideOnTorvald();
    await place.publish(list, [{ ...ENTRY, birthDates: ['1961-04-09', '1962'], programs: ['HARBOUR'] }], '2');
    await place.follow();
    expect((await hit()).decided).toBeUndefined();
    expect((await alerts())[0]).toMatchObject({
      because: ['entry'],
      changes: [
        { field: 'birthDate', removed: [], added: ['1962'] },
        { field: 'programs', removed: [], added: ['HARBOUR'] },
      ],
      lapsed: { author: 'A. Analyst' },
    });
  });
});
