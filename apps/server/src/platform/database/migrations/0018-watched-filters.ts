// Lists subjects by their state and by whether something is to be decided for them, and alerts by their kind.
import { sql } from 'kysely';
import type { Sealer } from '../../sealing/sealer.ts';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import { eachRow } from './each-row.ts';
import type { Migration, OpenSealer } from './migration.ts';

export const watchedFilters: Migration = { name: '0018-watched-filters', up };

async function up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void> {
  const { integer } = columnTypes(engine);
  await trx.schema
    .alterTable('watched_hits')
    .addColumn('is_open', integer, (column) => column.notNull().defaultTo(1))
    .execute();
  await trx.schema
    .alterTable('watched_subjects')
    .addColumn('hit_state', 'text', (column) => column.notNull().defaultTo('none'))
    .execute();
  await closeDecided(trx, openSealer);
  await sql`update watched_subjects set hit_state = case
      when exists (select 1 from watched_hits where subject_id = watched_subjects.id and is_open = 1) then 'open'
      else 'decided' end
    where exists (select 1 from watched_hits where subject_id = watched_subjects.id)`.execute(trx);
  for (const column of ['state', 'hit_state']) {
    await trx.schema
      .createIndex(`watched_subjects_by_${column}`)
      .on('watched_subjects')
      .columns(['customer', 'world', column, 'id'])
      .execute();
  }
  await trx.schema
    .createIndex('screening_alerts_by_kind')
    .on('screening_alerts')
    .columns(['customer', 'world', 'kind', 'id'])
    .execute();
}

/** What was decided lies sealed in the hit. */
async function closeDecided(trx: Transaction, openSealer: OpenSealer): Promise<void> {
  let sealer: Sealer | undefined;
  const page = (after: string, limit: number) =>
    trx
      .selectFrom('watched_hits as hit')
      .innerJoin('watched_subjects as subject', 'subject.id', 'hit.subject_id')
      .select(['hit.id as id', 'subject.id as subjectId', 'subject.customer', 'subject.world', 'hit.sealed'])
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('screening_alerts as alert')
            .select('alert.id')
            .whereRef('alert.subject_id', '=', 'hit.subject_id')
            .where('alert.kind', '=', 'decision'),
        ),
      )
      .where('hit.id', '>', after)
      .orderBy('hit.id')
      .limit(limit)
      .execute();
  await eachRow(page, async ({ id, subjectId, customer, world, sealed }) => {
    sealer ??= await openSealer();
    const place = `watched_hits/sealed/${JSON.stringify([id, subjectId, customer, world])}`;
    if (!isDecided(sealer, sealed, place)) return;
    await trx.updateTable('watched_hits').set({ is_open: 0 }).where('id', '=', id).execute();
  });
}

/** What does not open counts as open: somebody should look at it. */
function isDecided(sealer: Sealer, sealed: Uint8Array, place: string): boolean {
  try {
    const hit = sealer.openJson(sealed, place) as object;
    return 'decision' in hit || 'decided' in hit;
  } catch {
    return false;
  }
}
