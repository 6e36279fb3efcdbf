// `limen datasets` with a database: effects on other machines, and lists that are missing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { engine } from '#testing/database/test-database.ts';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { ftmList, ftmPerson } from '#testing/screening/publisher.ts';
import { systemClock } from '../../../platform/base/clock.ts';
import { createIds } from '../../../platform/base/ids.ts';
import { openStorage } from '../../../platform/storage.ts';
import { createDatasetFolder } from '../../lists/folder/folder.ts';
import { LOST } from '../../subjects/lists/find-news.ts';
import { WorkedLists } from '../../subjects/worked-lists.ts';

it('warns that a list reaches other machines only from a folder on which a server runs', async () => {
  const { dataDir, environment } = await prepareDatabase();
  const file = join(dataDir, 'list.ftm.json');
  writeFileSync(file, ftmList(ftmPerson('a', 'Maria Beispiel')));
  const { code, stdout } = await runLimenHere(['datasets', 'add', 'house_list', file], { environment });
  expect(code).toBe(0);
  expect(stdout.includes('Without a running server, the list stays in this folder')).toBe(engine === 'postgres');
});

it('removes a list that is missing, as after a restore, but refuses one that never existed', async () => {
  const place = await prepareDatabase();
  const { environment, dataDir } = place;
  const clock = systemClock;
  const { database } = await openStorage({ ...place, masterKey: undefined, clock, ids: createIds(clock) });
  const times = { built_at: 1, seen_at: 1, worked_at: 1, everybody_at: 1 };
  const row = { name: 'north', version: '1', content: 'as it was', begun: LOST, ...times };
  await database.transact((trx) => new WorkedLists(database).record(trx, row));
  await database.close();
  const remove = (name: string) => runLimenHere(['datasets', 'remove', name], { environment });
  expect(await remove('north')).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed north') });
  expect(await remove('south')).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no list') });
  expect(await createDatasetFolder(dataDir).removed()).toEqual(new Set(['north']));
});
