// `limen keyholder` as an operator runs it, after a key-holder was lost.
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createAnswerCall } from '../../keyholder/answer-call.ts';
import { openLocalKeyHolder } from '../../keyholder/testing/local-key-holder.ts';
import { listenForService } from '../../keyholder/tls-server.ts';
import { prepareDatabase, runLimenHere } from '../testing/run-limen.ts';

const secret = 'a-secret-of-at-least-32-characters';

/** The settings of a service that has this one. */
async function startKeyHolder(): Promise<Record<string, string>> {
  const holder = await openLocalKeyHolder();
  const answer = createAnswerCall(holder, () => {});
  const log = pino({ level: 'silent' });
  const server = await listenForService({ host: '127.0.0.1', port: 0, secret, answer, log });
  onTestFinished(async () => {
    await server.close();
    await holder.close();
  });
  return { KEYHOLDER_URL: `tls://127.0.0.1:${server.port}`, KEYHOLDER_SECRET: secret };
}

it('wants the address of a shared database from the environment, and says what it should look like', async () => {
  const limen = (environment: Record<string, string>) =>
    runLimenHere(['keyholder', 'backup', '/nowhere', '--database'], { environment });
  expect(await limen({})).toMatchObject({ code: 2, stderr: expect.stringContaining('Set KEYHOLDER_DATABASE_URL') });
  expect(await limen({ KEYHOLDER_DATABASE_URL: 'mysql://secret@host' })).toMatchObject({
    code: 2,
    stderr: expect.not.stringContaining('secret'),
  });
});

it('shows whose the database is, and gives it to another key-holder only when told to', async () => {
  const { environment } = await prepareDatabase();
  const [first, second] = [await startKeyHolder(), await startKeyHolder()];
  const limen = (settings: Record<string, string>, ...args: string[]) =>
    runLimenHere(['keyholder', ...args], { environment: { ...environment, ...settings } });
  expect((await limen(first, 'show')).stdout).toContain('database    none yet');
  expect((await limen(first, 'accept')).stdout).toContain('From now on');
  expect((await limen(first, 'accept')).stdout).toContain('already');
  expect(await limen(first, 'show')).toMatchObject({ code: 0 });

  expect(await limen(second, 'show')).toMatchObject({ code: 1, stderr: expect.stringContaining('not the same') });
  expect(await limen(second, 'accept')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect((await limen(second, 'accept', '--yes')).code).toBe(0);
  expect(await limen(second, 'show')).toMatchObject({ code: 0 });
  expect((await limen(first, 'show')).code).toBe(1);
});
