// A database with sessions from before there were cases: they are looked through once.
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS, TEST_SEALER } from '#testing/test-sealer.ts';
import { caseBacklog } from '../../../core/sessions/case-backlog.ts';
import { systemClock } from '../../clock.ts';
import { named } from '../../ids.ts';
import { migrate } from '../migrate.ts';

const CASES_SINCE = 1_000;

it.each([
  ['ended before', 'completed', CASES_SINCE - 1, 1],
  ['ended since', 'completed', CASES_SINCE + 1, 0],
  ['was given up before', 'cancelled', CASES_SINCE - 1, 0],
] as const)('asks for a look where a session %s', async (_when, state, ended_at, jobs) => {
  const database = await openEarlierDatabase('0030');
  const { queries } = database;
  await queries.updateTable('schema_migrations').set({ applied_at: CASES_SINCE }).execute();
  const bytes = Buffer.of(1);
  await queries
    .insertInto('sessions')
    .values({
      ...{
        id: named('one'),
        kind: 'age',
        customer: named('c'),
        world: 'live',
        api_key_id: 'k',
        token_lookup: bytes,
        state,
      },
      ...{ created_at: 1, expires_at: 2, ended_at, purge_at: 9, sealed: bytes, outcome: bytes, person_id: null },
    })
    .execute();
  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0030-review-backlog');
  const asked = await queries.selectFrom('jobs').selectAll().execute();
  expect(asked).toHaveLength(jobs);
  for (const { id, kind, state: at, payload } of asked) {
    expect([kind, at]).toEqual([caseBacklog.kind, 'ready']);
    expect(TEST_SEALER.openJson(payload, `jobs/payload/${id}`)).toEqual({ endedUntil: CASES_SINCE });
  }
});
