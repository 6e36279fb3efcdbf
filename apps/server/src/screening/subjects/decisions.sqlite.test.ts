// How long a decision holds: as long as all that it was based on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listed } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching, type WatchingPlace } from '#testing/screening/watching-place.ts';

const KNOWN = {
  schema: 'Person' as const,
  name: 'Torvald Eskeland',
  aliases: ['T. Eskeland', 'Torvald'],
  birthDate: '1961-04-09',
};
const PASSPORT = { kind: 'passportNumber', value: 'N1234567' } as const;
const ENTRY = listed('inv-1', 'Torvald Eskeland', '1961-04-09', { identifiers: [PASSPORT] });

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
  /** Newest first. */
  const alerts = async () =>
    (await place.watched.alerts(OWNER, { limit: 10, before: undefined, subjectId: id })).map(({ content }) => content);
  return { list, hit, put, decide, alerts };
}

describe('a decision', () => {
  it('does not survive that the subject gains the identifier that is listed, though the score was the best already', async () => {
    const { hit, put, alerts } = await decideOnTorvald();
    expect((await hit()).match.score).toBe(1);
    await put({ identifiers: [PASSPORT] });
    await place.work();
    expect((await hit()).match.score).toBe(1);
    expect((await hit()).decided).toBeUndefined();
    expect((await alerts())[0]).toMatchObject({ because: ['subject'], lapsed: { decision: 'not_this_subject' } });
  });

  it('holds where the same is said in another order, or what is not compared changes', async () => {
    const { hit, put, alerts } = await decideOnTorvald();
    await put({ aliases: KNOWN.aliases.toReversed() }, { scoreThreshold: 0.9 });
    await place.work();
    expect((await hit()).decided).toBeDefined();
    expect(await alerts()).toHaveLength(1);
  });

  it('that is made on a hit of what was known before lapses when the subject is screened as it is now', async () => {
    const { hit, put, decide, alerts } = await decideOnTorvald();
    await put({ identifiers: [PASSPORT] });
    await decide();
    await place.work();
    expect((await hit()).decided).toBeUndefined();
    expect((await alerts())[0]).toMatchObject({ because: ['subject'] });
    // And one that is made on the subject as it is holds.
    await decide();
    await put({ identifiers: [PASSPORT] }, { scoreThreshold: 0.9 });
    await place.work();
    expect((await hit()).decided).toBeDefined();
  });

  it('lapses when the entry changes, and the alert says what the list no longer says and says now', async () => {
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
