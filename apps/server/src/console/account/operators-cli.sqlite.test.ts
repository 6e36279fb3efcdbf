// `limen operators` and `limen audit` on the command line.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { systemClock } from '../../platform/base/clock.ts';
import { createIds, named } from '../../platform/base/ids.ts';
import { openStorage } from '../../platform/storage.ts';
import { openAudit } from '../../records/audit/open.ts';
import { noteConsoleAddress } from '../operators/console-address.ts';
import { createOperatorStore } from '../operators/store.ts';

const run = async () => {
  const { environment, dataDir, url } = await prepareDatabase();
  const limen = (...args: string[]) => runLimenHere(args, { environment });
  return { limen, environment, dataDir, url };
};

describe('operators', () => {
  it('invites operators with a link, lists them, signs them out and removes them', async () => {
    const { limen } = await run();
    const invited = await limen('operators', 'invite', 'Ada Lovelace', '--role', 'admin');
    expect(invited.code).toBe(0);
    expect(invited.stdout).toMatch(/http:\/\/localhost:8080\/console#invite=[\w-]{43}\n/);
    const { stdout } = await limen('operators', 'list', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'Ada Lovelace', role: 'admin', passkeys: 0, sessions: 0 }]);
    expect((await limen('operators', 'sign-out', 'Ada Lovelace')).stdout).toContain('was not signed in');
    expect((await limen('operators', 'remove', 'Ada Lovelace')).code).toBe(0);
    expect((await limen('operators', 'list')).stdout).toContain('no operators yet');
    const exported = (await limen('audit', 'export')).stdout;
    const acts = exported.split('\n').flatMap((line) => /"act":"([^"]+)","about":"Ada Lovelace"/.exec(line)?.[1] ?? []);
    expect(acts).toEqual(['operator.invite', 'operator.sign-out', 'operator.remove']);
  });

  it('refuses to remove the last admin who can sign in, unless forced', async () => {
    const { limen, dataDir, url } = await run();
    await limen('operators', 'invite', 'Ada', '--role', 'admin');
    const ids = createIds(systemClock);
    const { database, sealer } = await openStorage({ url, dataDir, masterKey: undefined, clock: systemClock, ids });
    const store = createOperatorStore(database, sealer, { error: () => {} });
    const { id } = (await store.findByName('Ada'))!;
    const passkey = { credential_id: 'a passkey', public_key: Buffer.of(1), counter: 0, answered_at: 0, created_at: 0 };
    await database.transact((trx) => store.insertPasskey(trx, { ...passkey, operator_id: id }));
    await database.close();
    const refused = await limen('operators', 'remove', 'Ada');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('last admin who can sign in')]);
    expect((await limen('operators', 'remove', 'Ada', '--yes')).code).toBe(0);
    const exported = (await limen('audit', 'export')).stdout;
    expect(exported.match(/"operator\.remove"/g)).toHaveLength(1);
  });

  it('prints the address of the running service, whatever its port', async () => {
    const { limen, environment, dataDir } = await run();
    const server = createServer().listen(0, 'localhost');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://localhost:${(server.address() as AddressInfo).port}/console`;
    noteConsoleAddress(dataDir, url);
    expect((await limen('operators', 'invite', 'Ada')).stdout).toContain(`${url}#invite=`);
    const settings = { ...environment, CONSOLE_URL: 'https://console.example/console' };
    const named = await runLimenHere(['operators', 'invite', 'Ada'], { environment: settings });
    expect(named.stdout).toContain('https://console.example/console#invite=');
  });

  it('invites reviewers by default and never changes an existing role', async () => {
    const { limen } = await run();
    expect((await limen('operators', 'invite', 'Grace')).stdout).toContain('Grace as reviewer');
    expect((await limen('operators', 'invite', 'Grace')).code).toBe(0);
    const other = await limen('operators', 'invite', 'Grace', '--role', 'admin');
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('has another role')]);
    expect((await limen('operators', 'invite', 'Grace', '--role', 'owner')).code).toBe(2);
    const exported = (await limen('audit', 'export')).stdout;
    expect(exported.match(/"operator\.(re)?invite"/g)).toEqual(['"operator.invite"', '"operator.reinvite"']);
  });

  it('refuses names that are confusable with another', async () => {
    const { limen } = await run();
    await limen('operators', 'invite', 'Rita');
    for (const [name, why] of [
      ['rita', 'could be taken for Rita'],
      ['Ri\u200Bta', 'invisible'],
      ['command line', 'command line'],
    ] as const) {
      const { code, stderr } = await limen('operators', 'invite', name);
      expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
    }
  });

  it('names an operator that does not exist', async () => {
    const { limen } = await run();
    for (const command of [['remove'], ['sign-out'], ['passkeys'], ['remove-passkey', 'x']]) {
      const [name = '', ...more] = command;
      const { code, stderr } = await limen('operators', name, 'Nobody', ...more);
      expect([code, stderr]).toEqual([1, expect.stringContaining('No operator has this name')]);
    }
    expect((await limen('audit', 'verify')).stdout).toContain('Whole: 0 lines');
  });

  it('refuses invites if no console is served', async () => {
    const { environment } = await run();
    const settings = { ...environment, HOST: '0.0.0.0' };
    const refused = await runLimenHere(['operators', 'invite', 'Ada'], { environment: settings });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('CONSOLE_URL')]);
    const named = { ...settings, CONSOLE_URL: 'https://console.example/console' };
    const invited = await runLimenHere(['operators', 'invite', 'Ada'], { environment: named });
    expect(invited.stdout).toContain('https://console.example/console#invite=');
  });
});

describe('the audit log', () => {
  it('verifies and exports the log, and reports a broken chain', async () => {
    const { limen, dataDir, url } = await run();
    expect((await limen('audit', 'verify')).stdout).toContain('Whole: 0 lines of 0 days.');
    const ids = createIds(systemClock);
    const { database, sealer } = await openStorage({ url, dataDir, masterKey: undefined, clock: systemClock, ids });
    const { audit } = openAudit({ database, sealer, clock: systemClock });
    for (const act of ['sign-in', 'sign-out'] as const) {
      await audit.write({ operator: { id: named('id'), name: 'Ada', role: 'admin' }, act, from: '192.0.2.7' });
    }
    expect((await limen('audit', 'verify')).stdout).toContain('Whole: 2 lines of 1 day.');
    const lines = (await limen('audit', 'export')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { publicKey: expect.stringContaining('BEGIN PUBLIC KEY') },
      { seq: 1, act: 'sign-in' },
      { seq: 2, act: 'sign-out' },
      { checkpoint: { lines: 2 } },
    ]);
    await database.queries.deleteFrom('audit_lines').where('seq', '=', 1).execute();
    await database.close();
    const broken = await limen('audit', 'verify');
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('line 1: it is missing')]);
  });
});
