// `limen subjects` alongside a running server: what an analyst sees, decides and deletes.
import { expect, it } from 'vitest';
import { listActs, runLimenHere } from '#testing/run-limen.ts';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { useWatchingApp } from '#testing/screening/watching-app.ts';

const room = useWatchingApp({ north: [createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09')] });

async function prepare() {
  const { environment } = room.storage;
  const { record, apiKey } = await room.app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const keyId = record.id;
  const call = (...args: string[]) => runLimenHere(['subjects', ...args, '--key-id', keyId], { environment });
  const put = (reference: string, name: string) =>
    room.app.http.inject({
      ...{ method: 'POST', url: '/v2/screening/subjects', headers: { 'x-api-key': apiKey } },
      payload: { reference, name, birthDate: '1961-04-09', schema: 'Person', dataset: 'north' },
    });
  await put('c-1', 'Torvald Eskeland');
  await put('c-2', 'Somebody Else');
  return { call, keyId };
}

it('lists, shows, decides and deletes', async () => {
  const { call } = await prepare();
  expect((await call('show', 'c-1')).stdout).toContain('still to be screened');
  await room.work();
  const list = await call('list');
  expect([list.code, list.stderr]).toEqual([0, '']);
  expect(list.stdout).toMatch(/^ID +REFERENCE +NAME +KIND +DATASET +STATE +HITS\n/);
  expect(list.stdout).toMatch(/ c-1 +Torvald Eskeland +Person +north +screened +1$/m);
  const open = JSON.parse((await call('list', '--hits', 'open', '--json')).stdout);
  expect(open.subjects.map((one: { reference: string }) => one.reference)).toEqual(['c-1']);
  const first = await call('list', '--limit', '1');
  const [, cursor = ''] = /--after (\S+)\n$/.exec(first.stderr) ?? [];
  expect((await call('list', '--limit', '1', '--after', cursor)).stdout).toMatch(/ c-1 /);

  const { subject, hits } = JSON.parse((await call('show', 'c-1', '--json')).stdout);
  const shown = await call('show', subject.id);
  expect(shown.stdout).toMatch(/reference +c-1\n/);
  expect(shown.stdout).toMatch(
    new RegExp(`${hits[0].id} +1\\.000 +Torvald Eskeland +north +inv-1 +\\w{12} +open +Torvald`),
  );

  const alerts = await call('alerts', '--kind', 'new', '--subject', 'c-1', '--since', '2020-01-01');
  expect(alerts.stdout).toMatch(/new +c-1 +1\.000 +Torvald Eskeland +north +1 +inv-1/);
  expect((await call('alerts', '--kind', 'removed')).stdout).toBe('There are no such alerts.\n');

  const how = ['--decision', 'not_this_subject', '--reason', 'Another passport.', '--author', 'A. Analyst'];
  const stale = await call('decide', 'c-1', hits[0].id, ...how, '--entry', '00000000');
  expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('has changed; look at it again')]);
  const decided = await call('decide', 'c-1', hits[0].id, ...how, '--entry', hits[0].entryHash.slice(0, 12));
  expect([decided.code, decided.stdout]).toEqual([0, 'Decided: not_this_subject, Torvald Eskeland (inv-1).\n']);
  expect((await call('show', 'c-1')).stdout).toContain('not_this_subject (A. Analyst)');

  const why = ['--reason', 'The wrong passport was read.', '--author', 'B. Analyst'];
  const taken = await call('withdraw', 'c-1', hits[0].id, ...why);
  expect([taken.code, taken.stdout]).toEqual([0, 'To be decided again: Torvald Eskeland (inv-1).\n']);
  const again = await call('withdraw', 'c-1', hits[0].id, ...why);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('There is no decision on a hit')]);

  const removed = await call('remove', 'c-1', 'c-9', '--yes');
  expect([removed.code, removed.stdout]).toEqual([1, 'Deleted c-1.\n']);
  expect(removed.stderr).toMatch(/no watched subject c-9[\s\S]*Deleted 1 subject; 1 not found/);
  expect((await call('show', 'c-1')).code).toBe(1);
  expect(await listActs(room.storage.environment)).toEqual([
    ['hit.not_this_subject', hits[0].id],
    ['hit.withdraw', hits[0].id],
    ['subject.remove', subject.id],
  ]);
});

it('hides the subjects of other customers, and requires an existing key', async () => {
  const { call } = await prepare();
  const { keyId: other } = await prepare();
  const { environment } = room.storage;
  const { id } = JSON.parse((await call('show', 'c-2', '--json')).stdout).subject;
  expect((await runLimenHere(['subjects', 'show', id, '--key-id', other], { environment })).code).toBe(1);
  expect((await runLimenHere(['subjects', 'list', '--key-id', 'none'], { environment })).stderr).toMatch(/No API key/);
});
