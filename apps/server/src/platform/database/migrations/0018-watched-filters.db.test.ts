// A database of an earlier version: what its subjects and hits can be listed by is filled in from what is there.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS, TEST_SEALER } from '#testing/test-sealer.ts';
import { hitPlace } from '../../../core/watching/contents.ts';
import { systemClock } from '../../clock.ts';
import { named } from '../../ids.ts';
import { migrate } from '../migrate.ts';

it('tells decided hits from open ones, and by them the subjects; what does not open stays to be looked at', async () => {
  const database = await openEarlierDatabase('0018');
  const run = (statement: ReturnType<typeof sql>) => statement.execute(database.queries);
  const owned = (id: string) => ({ id: named(id), customer: named('c'), world: 'live' as const }) as const;
  const insertSubject = (id: string) =>
    run(sql`insert into watched_subjects
      (id, customer, world, api_key_id, reference_digest, revision, state, created_at, changed_at, sealed)
      values (${id}, 'c', 'live', 'key', ${Buffer.from(id)}, 1, 'screened', 1, 1, ${Buffer.of(1)})`);
  const insertHit = (id: string, subject: string, content: object | undefined) =>
    run(sql`insert into watched_hits (id, subject_id, entity_digest, found_at, changed_at, sealed)
      values (${id}, ${subject}, ${Buffer.from(id)}, 1, 1,
      ${content ? TEST_SEALER.sealJson(content, hitPlace(id, owned(subject))) : Buffer.of(1)})`);
  const insertDecision = (subject: string) =>
    run(sql`insert into screening_alerts (id, customer, world, subject_id, kind, created_at, sealed)
      values (${`a-${subject}`}, 'c', 'live', ${subject}, 'decision', 1, ${Buffer.of(1)})`);

  for (const id of ['s1-none', 's2-open', 's3-decided', 's4-both', 's5-damaged']) await insertSubject(id);
  for (const id of ['s3-decided', 's4-both', 's5-damaged']) await insertDecision(id);
  await insertHit('h1', 's2-open', { list: 'north' });
  await insertHit('h2', 's3-decided', { list: 'north', decided: { decision: 'confirmed', score: 0.97 } });
  // As the first version with decisions wrote it.
  await insertHit('h3', 's3-decided', { list: 'north', decision: 'not_this_subject' });
  await insertHit('h4', 's4-both', { list: 'north', decided: { decision: 'confirmed', score: 0.97 } });
  await insertHit('h5', 's4-both', { list: 'north' });
  await insertHit('h6', 's5-damaged', undefined);

  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0018-watched-filters');
  const hits = await database.queries.selectFrom('watched_hits').select(['id', 'is_open']).orderBy('id').execute();
  expect(hits.filter(({ is_open }) => Number(is_open) === 1).map(({ id }) => id)).toEqual(['h1', 'h5', 'h6']);
  const subjects = await database.queries
    .selectFrom('watched_subjects')
    .select(['id', 'hit_state'])
    .orderBy('id')
    .execute();
  expect(subjects.map(({ id, hit_state }) => `${id}: ${hit_state}`)).toEqual([
    's1-none: none',
    's2-open: open',
    's3-decided: decided',
    's4-both: open',
    's5-damaged: open',
  ]);
});
