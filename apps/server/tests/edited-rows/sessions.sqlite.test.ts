// Edited rows of sessions never lead to a success.
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Row, readRows, tryEveryEdit, writeRows } from '#testing/edited-rows/edit-rows.ts';
import { newVerificationHost, useVerificationApp } from '#testing/sessions/verification-app.ts';
import { createIds } from '../../src/platform/base/ids.ts';
import { openStorage } from '../../src/platform/storage.ts';

describe('an edited session', () => {
  const room = useVerificationApp();

  it("does not succeed by a simulated session's columns, one by one or all together", async () => {
    const live = await newVerificationHost(room, 'live', 'acme');
    const test = await newVerificationHost(room, 'test', 'acme');
    const puid = crypto.randomUUID();
    const open_ = await live.start('SIGN-IN');
    const simulated = await test.start('SIGN-IN');
    await test.call('POST', `/v2/verification-session/${simulated}/simulate`, {
      outcome: 'success',
      puid,
    });
    expect((await test.result(simulated)).body).toMatchObject({ status: 'SUCCESS', puid });

    const storage = await openStorage({
      ...room.storage,
      masterKey: undefined,
      clock: room.clock,
      ids: createIds(room.clock),
    });
    onTestFinished(() => storage.database.close());
    const { database } = storage;
    const expectNoSuccess = async (edit: string) => {
      for (const id of [open_, simulated]) expect((await live.result(id)).body.status, edit).not.toBe('SUCCESS');
    };
    const pick = (rows: Row[]): [Row, Row] => [
      rows.find(({ id }) => id === open_)!,
      rows.find(({ id }) => id === simulated)!,
    ];
    await tryEveryEdit(database, 'sessions', pick, expectNoSuccess);

    const rows = await readRows(database, 'sessions');
    const [victim, thief] = pick(rows);
    await writeRows(database, 'sessions', [{ ...thief, id: open_ }]);
    await expectNoSuccess('everything but the id');
    await writeRows(database, 'sessions', [
      { ...thief, customer: victim['customer'], world: victim['world'], api_key_id: victim['api_key_id'] },
    ]);
    await expectNoSuccess('the owner');
    await writeRows(database, 'sessions', rows);
    await sql`update sessions set state = 'completed' where id = ${open_}`.execute(database.queries);
    await expectNoSuccess('the state alone');
  });
});
