// Hits of watched subjects in the review queue: created, updated and decided from either side.
import { expect, it } from 'vitest';
import { LISTED, useWatchedHits } from '#testing/console/watched-hits.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';

const { name: NAME, birthDate: BORN } = LISTED;
const room = useWatchedHits(['Rita']);
const { host, work, watch, caseOf, hitOf } = room;
const rita = () => room.operators[0]!;

const decide = (id: string, body: object) => rita().call('POST /console/api/review/:id/decide', { ids: [id], body });

it('shows the list entry, and the subject only on request', async () => {
  const { found } = await watch();
  expect(found).toMatchObject({
    state: 'open',
    hit: { caption: NAME, list: 'north' },
    entity: { list: 'north', listVersion: '1', match: { id: 'n-1' } },
    verdicts: ['confirmed', 'not_this_subject'],
  });
  expect(JSON.stringify(found)).not.toMatch(/ref-1|explanation"/);
  const revealed = (await rita().call('POST /console/api/review/:id/reveal', { ids: [found.id] })).json();
  expect(revealed).toMatchObject({ reference: 'ref-1', subject: { name: NAME, birthDate: BORN } });
  expect(revealed.explanation.name).toBeDefined();
});

it('decides like the API, with the operator as author', async () => {
  const { id, found } = await watch();
  const body = { verdict: 'not_this_subject', reason: 'Another passport.' };
  expect((await decide(found.id, body)).statusCode).toBe(400);
  const stale = await decide(found.id, { ...body, entryHash: '0'.repeat(64) });
  expect(stale.headers['x-error-code']).toBe('entry_changed');
  const reply = await decide(found.id, { ...body, entryHash: found.entity!.entryHash });
  expect(reply.json()).toMatchObject({ state: 'decided', decided: { verdict: 'not_this_subject', by: 'Rita' } });
  expect(await hitOf(id)).toMatchObject({ decision: { decision: 'not_this_subject', author: 'Rita' } });
});

it('accepts one of two concurrent decisions', async () => {
  for (const other of ['confirmed', 'not_this_subject']) {
    const { found } = await watch();
    const { entryHash } = found.entity!;
    const replies = await Promise.all(
      ['confirmed', other].map((verdict) => decide(found.id, { verdict, reason: 'Seen.', entryHash })),
    );
    expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
    expect((await caseOf(found.about))!.notes.map(({ act }) => act)).toEqual(['opened', 'decided']);
  }
});

it('does not repair rows that were edited in the database', async () => {
  const { id, found } = await watch();
  const edit = { due_at: found.dueAt + 1 };
  await room.app.database.queries.updateTable('review_cases').set(edit).where('id', '=', found.id).execute();
  const { id: hitId, entryHash } = await hitOf(id);
  const decision = { decision: 'confirmed', reason: 'Same passport.', author: 'A. Analyst', entryHash };
  await host('POST', `/v2/screening/subjects/${id}/hits/${hitId}/decision`, decision);
  expect(await caseOf(id)).toMatchObject({ isUnreadable: true });
});

it('removes cases when the host decides or removes the subject, or the list is removed', async () => {
  const [decided, removed, unlisted] = [await watch(), await watch(), await watch()];
  const { id: hitId, entryHash } = await hitOf(decided.id);
  const decision = { decision: 'confirmed', reason: 'Same passport.', author: 'A. Analyst', entryHash };
  await host('POST', `/v2/screening/subjects/${decided.id}/hits/${hitId}/decision`, decision);
  expect(await caseOf(decided.id)).toMatchObject({ state: 'decided', decided: { by: 'A. Analyst' } });
  await host('DELETE', `/v2/screening/subjects/${removed.id}`);
  expect(await caseOf(removed.id)).toBeUndefined();

  // The list entry has changed, so a decision on the old entry does not count.
  await newVersion('2', [createListedEntity('n-1', NAME, BORN, { programs: ['HARBOUR'] })]);
  expect(await caseOf(decided.id)).toMatchObject({ state: 'open', decided: null });
  expect((await caseOf(decided.id))!.notes.map(({ act }) => act)).toEqual(['opened', 'decided', 'reopened']);
  await newVersion('3', [createListedEntity('n-2', 'Somebody Else', '1990-01-01')]);
  expect(await caseOf(unlisted.id)).toBeUndefined();
});

async function newVersion(version: string, entities: Parameters<typeof storeList>[2]): Promise<void> {
  await storeList(room.storage.dataDir, 'north', entities, version);
  await expect
    .poll(async () => {
      const { datasets } = await host<{ datasets: { name: string; version: string }[] }>(
        'GET',
        '/v2/open-sanctions/datasets',
      );
      return datasets.find(({ name }) => name === 'north')?.version;
    })
    .toBe(version);
  room.app.clock.advance(15_000); // lists are checked this often
  await work();
}
