// `limen keys rotate-enrol`: everyone is found under the new key; an outage loses nothing.
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { TEST_MASTER_KEY } from '#testing/processes/people-process.ts';
import { addPerson, openTokenProcess, signIn } from '#testing/processes/token-process.ts';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { randomVector } from '../../../../../packages/token/testing/vectors.ts';
import { createAnswerCall } from '../keyholder/answer-call.ts';
import { listenForService } from '../keyholder/tls-server.ts';
import { describeReport } from './rotate-enrol.ts';

const secret = 'a-secret-of-at-least-32-characters';

/** Makes a database with one person, and a key-holder that the command reaches like a server. */
async function prepare() {
  const place = await prepareDatabase();
  const keyHolder = await openLocalKeyHolder();
  onTestFinished(() => keyHolder.close());
  const server = await listenForService({
    host: '127.0.0.1',
    port: 0,
    secrets: [secret],
    log: pino({ level: 'silent' }),
    answer: createAnswerCall(keyHolder, () => {}),
  });
  const process = await openTokenProcess(place, { keyHolder });
  const environment = {
    ...place.environment,
    MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    KEYHOLDER_URL: `tls://127.0.0.1:${server.port}`,
    KEYHOLDER_SECRET: secret,
  };
  const epoch = async () =>
    (await process.database.queries.selectFrom('tokens').select('epoch').executeTakeFirst())?.epoch;
  return { process, server, environment, epoch };
}

it('moves the tokens to a new key under which everyone is found', async () => {
  const { process, server, environment, epoch } = await prepare();
  onTestFinished(() => server.close());
  const ada = randomVector();
  const { puid } = await addPerson(process, ada);
  const before = await epoch();
  expect(await runLimenHere(['keys', 'rotate-enrol'], { environment })).toEqual({
    code: 0,
    stderr: '',
    stdout: 'Renewed 1 face token of 1 customer; 1 old key is deleted.\n',
  });
  expect(await epoch()).not.toBe(before);
  expect(await signIn(process, ada)).toMatchObject({ kind: 'match', puid });
  const nobody = await runLimenHere(['keys', 'rotate-enrol', '--customer', 'nobody'], { environment });
  expect(nobody).toMatchObject({ code: 0, stdout: 'There are no face tokens to renew.\n' });
});

it('reports that the key-holder does not respond and changes nothing', async () => {
  const { process, server, environment, epoch } = await prepare();
  await addPerson(process, randomVector());
  const before = await epoch();
  await server.close();
  const { code, stdout, stderr } = await runLimenHere(['keys', 'rotate-enrol'], { environment });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^The key-holder does not answer \(nothing answers at KEYHOLDER_URL\)\./m);
  expect(await epoch()).toBe(before);
});

it('reports tokens whose key is lost and tokens that were renewed often', () => {
  expect(describeReport({ customers: 2, renewed: 5, retired: 2, lost: 1, worn: 2 })).toBe(
    'Renewed 5 face tokens of 2 customers; 2 old keys are deleted.\n' +
      '2 of them have now been renewed more than 12 times: those people should enroll again, for scores as exact as before.\n' +
      '1 token has a key that this key-holder does not hold: restore the key-holder’s folder, or those people must enroll again.',
  );
});
