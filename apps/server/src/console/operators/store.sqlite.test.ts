// An invite whose row is sealed again between reading and using it, as after a key rotation.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { NO_LOG } from '#testing/edited-rows/places.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds, type OperatorId } from '../../platform/base/ids.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { createRowSeal } from '../../platform/sealing/row-seal.ts';
import { createChangingSealer } from '../../platform/sealing/sealer.ts';
import { createOperatorStore, type InviteRow } from './store.ts';

it('is used once if only the seal changed, and refused if anything else did', async () => {
  const place = await createTestDatabase();
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const clock = createManualClock();
  const key = () => ({ id: randomUUID(), key: randomBytes(32) });
  const given = { sealKeys: [key()], lookupKey: randomBytes(32) };
  const changing = createChangingSealer(given);
  const store = createOperatorStore(database, changing.sealer, NO_LOG);
  const seal = createRowSeal<InviteRow>(changing.sealer, 'operator_invites');
  const operator_id = createIds(clock).sortable<OperatorId>();
  const expires_at = clock.now() + 1_000;
  await database.transact(async (trx) => {
    await store.insert(trx, { id: operator_id, name: 'Ada', role: 'admin', created_at: clock.now() });
    for (const id of ['resealed', 'longer']) await store.insertInvite(trx, { id, operator_id, expires_at });
  });
  const [resealed, longer] = [(await store.findInvite('resealed'))!, (await store.findInvite('longer'))!];
  const replace = (row: InviteRow) =>
    database.queries.updateTable('operator_invites').set(row).where('id', '=', row.id).execute();

  changing.change({ ...given, rowKeys: [key()], rowsByLookup: 'holds' });
  await replace(seal.sign(resealed));
  await replace(seal.sign({ ...longer, expires_at: longer.expires_at + 1 }));
  const use = (row: InviteRow) => database.transact((trx) => store.useInvite(trx, row));
  expect([await use(resealed), await use(resealed), await use(longer)]).toEqual([true, false, false]);
});
