// Hits that two operators must agree on, in either room and concurrently.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, it } from 'vitest';
import type { TestOperator } from '#testing/console/console-app.ts';
import { useWatchedHits, type WatchedHitIds } from '#testing/console/watched-hits.ts';
import type { CaseView } from './views.ts';

const room = useWatchedHits(['Ann', 'Ben', 'Cem'], { REVIEW_EYES: '2' });
const { watch, caseOf, hitOf } = room;

const say = (operator: TestOperator, found: CaseView, verdict: string) =>
  operator.call('POST /console/api/review/:id/decide', {
    ids: [found.id],
    body: { verdict, reason: 'Seen.', entryHash: found.entity!.entryHash },
  });
const sayOfSubject = async (operator: TestOperator, { id, found }: WatchedHitIds) =>
  operator.call('POST /console/api/subjects/:id/hits/:hitId/decide', {
    ids: [id, (await hitOf(id)).id],
    body: { decision: 'confirmed', reason: 'Seen.', entryHash: found.entity!.entryHash },
  });

it('is proposed by one operator and confirmed by another, in either room', async () => {
  const watched = await watch();
  const [ann, ben] = room.operators;
  expect((await sayOfSubject(ann!, watched)).json()).toEqual({ state: 'proposed' });
  const alone = await sayOfSubject(ann!, watched);
  expect([alone.statusCode, alone.headers['x-error-code']]).toEqual([409, 'second_pair_needed']);
  expect((await hitOf(watched.id)).decision).toBeUndefined();
  expect((await sayOfSubject(ben!, watched)).json()).toEqual({ state: 'decided' });
  expect(await hitOf(watched.id)).toMatchObject({ decision: { decision: 'confirmed', author: 'Ben' } });
});

it('is not decided against a concurrent objection', async () => {
  for (let round = 0; round < onlyWhenLong(25, 4); round += 1) {
    const { found } = await watch();
    const [ann, ben, cem] = room.operators;
    await say(ann!, found, 'confirmed');
    await Promise.all([say(ben!, found, 'not_this_subject'), say(cem!, found, 'confirmed')]);
    const { notes } = (await caseOf(found.about))!;
    const acts = notes.map(({ act }) => act).join();
    expect(['opened,proposed,decided', 'opened,proposed,objected,proposed']).toContain(acts);
  }
});
