// PostgreSQL set up as documented: accounts, privileges, TLS with a private CA, and a major
// upgrade, block by block as printed.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServerFolder, findPostgres, freePort, unprivileged } from '@limen/testing/postgres-cluster.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runKeyHolderToEnd, startKeyHolder } from '../apps/server/testing/faces/key-holder-process.ts';
import { startServer } from '../apps/server/testing/processes/server-process.ts';
import { runLimenHere } from '../apps/server/testing/run-limen.ts';
import { replaceAll } from '../testing/cluster/proxies.ts';

const binaries = findPostgres();
const identity = unprivileged();
const PASSWORD = 'CHANGE-ME';

/** Blocks of a section, as printed. */
function blocksOf(document: string, heading: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../docs', document), 'utf8');
  const section = text.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`))!;
  return [...section.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

const [ONE_ACCOUNT, TWO_ACCOUNTS, CERTIFICATES, SETTINGS, ACCESS, ADDRESS] = blocksOf(
  'deployment.md',
  'PostgreSQL',
) as [...[string, string, string, string, string, string]];
const [UPGRADE, DUMP] = blocksOf('operate.md', 'A new major version of PostgreSQL') as [string, string];

/** A server of the machine's PostgreSQL, created as by the user postgres. */
async function startPostgres(folder = createServerFolder()) {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [data, port] = [join(folder, 'data'), await freePort()];
  const environment = {
    PATH: `${binaries}:/usr/bin:/bin`,
    LC_ALL: 'C.UTF-8',
    PGHOST: folder,
    PGPORT: String(port),
    PGUSER: 'postgres',
  };
  /** As the servers' user. */
  const run = (script: string) => {
    const ran = spawnSync('sh', ['-euc', script], { ...identity, cwd: folder, env: environment, encoding: 'utf8' });
    expect(ran.status, `${script}\n${ran.stdout}${ran.stderr}`).toBe(0);
    return ran.stdout;
  };
  const give = (from: string, name: string) => {
    const to = join(data, name);
    copyFileSync(from, to);
    chmodSync(to, 0o600);
    if (identity) chownSync(to, identity.uid, identity.gid);
  };
  run(`initdb -U postgres -E UTF8 -D ${data}`);
  appendFileSync(join(data, 'postgresql.conf'), `port = ${port}\nunix_socket_directories = '${folder}'\nfsync = off\n`);
  onTestFinished(
    () => void spawnSync('pg_ctl', ['-D', data, '-m', 'immediate', 'stop'], { ...identity, env: environment }),
  );
  const control = (action: string) => run(`pg_ctl -D ${data} -l ${folder}/log -w ${action}`);
  control('start');
  return { folder, data, port, run, give, control };
}

type Postgres = Awaited<ReturnType<typeof startPostgres>>;

const asAdministrator = (block: string) => block.replaceAll('sudo -u postgres psql', 'psql');

/**
 * TLS and access as printed, for this machine instead of the service's network. Returns the
 * service's URL, as printed.
 */
function setUpTls(postgres: Postgres): { address: string; ca: string } {
  const folder = mkdtempSync(join(tmpdir(), 'limen-database-ca-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync('sh', ['-euc', replaceAll(CERTIFICATES, [[/db\.example\.org/g, 'localhost']])], {
    cwd: folder,
    stdio: 'ignore',
  });
  for (const name of ['server.crt', 'server.key']) postgres.give(join(folder, name), name);
  appendFileSync(join(postgres.data, 'postgresql.conf'), SETTINGS);
  const access = replaceAll(ACCESS, [[/10\.0\.0\.0\/24/g, '127.0.0.1/32']]);
  writeFileSync(
    join(postgres.data, 'pg_hba.conf'),
    `local all all trust\n${access}${access.replace(/limen +limen\S+/, 'keyholder keyholder')}`,
  );
  postgres.control('restart');
  const ca = join(folder, 'ca.crt');
  const printed = /^DATABASE_URL='(.*)'$/m.exec(ADDRESS)![1]!;
  const address = replaceAll(printed, [
    [/db\.example\.org:5432/, `localhost:${postgres.port}`],
    [/\/etc\/ssl\/limen-database-ca\.crt/, ca],
  ]);
  return { address, ca };
}

function makeDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const stateOf = async (address: string) => (await fetch(`${address}/ready`)).status;

describe.skipIf(!binaries || !identity)('PostgreSQL as documented', () => {
  it('serves one account over TLS only and explains each failure', async () => {
    const postgres = await startPostgres();
    postgres.run(asAdministrator(ONE_ACCOUNT));
    const { address, ca } = setUpTls(postgres);
    const environment = { DATABASE_URL: address, DATA_DIR: makeDataDir() };
    const service = await startServer(environment);
    await expect.poll(() => stateOf(service.address)).toBe(200);
    await Promise.all(Array.from({ length: 40 }, () => fetch(`${service.address}/ready`)));
    const connections = postgres.run(
      `psql -Atc "select count(*) <= 10, bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'limen'"`,
    );
    expect(connections).toBe('t|t\n');

    const doctor = async (url: string) => {
      const { stdout } = await runLimenHere(['doctor'], { environment: { ...environment, DATABASE_URL: url } });
      return stdout;
    };
    expect(await doctor(address)).toMatch(/PostgreSQL \d.* answers/);
    const change = (from: RegExp, to: string) => replaceAll(address, [[from, to]]);
    const [byNumber, otherCa] = [change(/localhost/, '127.0.0.1'), join(postgres.folder, 'other.crt')];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-noenc',
        '-subj',
        '/CN=Other',
        '-keyout',
        '/dev/null',
        '-out',
        otherCa,
      ],
      { stdio: 'ignore' },
    );
    const works = [
      byNumber.replace('verify-full', 'verify-ca'),
      byNumber.replace('verify-full', 'require'),
      change(/sslmode=.*/, 'sslmode=require'),
    ];
    for (const url of works) expect(await doctor(url)).toMatch(/PostgreSQL \d.* answers/);
    const refused = {
      'does not name the host': byNumber,
      'name the file of the right CA': change(/(?<=sslrootcert=).*/, otherCa),
      'The CA of PostgreSQL’s certificate is not known': change(/&sslrootcert=.*/, ''),
      'the address needs sslmode': change(/\?.*/, ''),
      'refused the login': change(/CHANGE-ME/, 'another'),
    };
    for (const [sentence, url] of Object.entries(refused)) expect(await doctor(url)).toContain(sentence);
    expect(await doctor(change(/verify-full/, 'prefer'))).toContain('has sslmode=prefer');

    postgres.run(
      `psql -c "alter role limen password 'changed'" -c "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'limen'"`,
    );
    await expect.poll(() => stateOf(service.address)).toBe(503);
    const away = await fetch(`${service.address}/strings`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"value":"kept"}' },
    });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2']);
    postgres.run(`psql -c "alter role limen password '${PASSWORD}'"`);
    await expect.poll(() => stateOf(service.address)).toBe(200);

    const [holder, secret] = ['keyholder', 'a-secret-of-at-least-32-characters'];
    postgres.run(asAdministrator(ONE_ACCOUNT).replaceAll('limen', holder));
    const theirs = address.replace('//limen:', `//${holder}:`).replace('/limen?', `/${holder}?`);
    const keys = { KEYHOLDER_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), KEYHOLDER_SECRET: secret };
    await startKeyHolder({ ...keys, KEYHOLDER_DATABASE_URL: theirs });
    const wrong = await runKeyHolderToEnd({ ...keys, KEYHOLDER_DATABASE_URL: theirs.replace(ca, otherCa) });
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The CA of .* in KEYHOLDER_DATABASE_URL\.\n$/),
    });
  });

  it('keeps the service’s account from changing tables while it can do its work', async () => {
    const postgres = await startPostgres();
    postgres.run(asAdministrator(TWO_ACCOUNTS));
    const { address } = setUpTls(postgres);
    const environment = { DATABASE_URL: address, DATA_DIR: makeDataDir() };
    const owner = {
      ...environment,
      DATABASE_URL: address.replace(`limen:${PASSWORD}`, `limen_owner:${PASSWORD}-OWNER`),
    };
    const limen = (...args: string[]) => runLimenHere(args, { environment });
    expect(await limen('keys', 'create')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/permission denied for schema public\. Nothing was changed\. Run "limen migrate"/),
    });
    expect(await runLimenHere(['migrate'], { environment: owner })).toMatchObject({ code: 0 });
    const service = await startServer(environment);
    await expect.poll(() => stateOf(service.address)).toBe(200);
    expect(await limen('keys', 'create', '--label', 'Web shop')).toMatchObject({ code: 0 });
    expect(await limen('backup', join(environment.DATA_DIR, 'backup'))).toMatchObject({ code: 0 });
    expect(await limen('doctor')).toMatchObject({ stdout: expect.stringContaining('the schema is up to date') });
    const tables = postgres.run(
      `psql -Atc "select distinct tableowner from pg_tables where schemaname = 'public'" limen`,
    );
    expect(tables).toBe('limen_owner\n');
  });

  it('is upgraded with pg_upgrade while the service stays up, and moved by a dump', async () => {
    const postgres = await startPostgres();
    postgres.run(asAdministrator(ONE_ACCOUNT));
    const url = `postgres://limen:${PASSWORD}@127.0.0.1:${postgres.port}/limen`;
    const service = await startServer({ DATABASE_URL: url, DATA_DIR: makeDataDir(), DEV_API_KEY: 'limen-upgrade-key' });
    const call = async (path: string, body?: object) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': 'limen-upgrade-key' };
      const given = body && { method: 'POST', body: JSON.stringify(body) };
      return (await (await fetch(`${service.address}${path}`, { headers, ...given })).json()) as {
        id: string;
        value: string;
      };
    };
    const { id } = await call('/strings', { value: 'kept' });
    // The key and certificate are those of the TLS section, which this server lacks.
    for (const name of ['server.crt', 'server.key']) postgres.give(join(postgres.data, 'PG_VERSION'), name);
    const next = join(postgres.folder, 'next');
    onTestFinished(
      () => void spawnSync(join(binaries!, 'pg_ctl'), ['-D', next, '-m', 'immediate', 'stop'], { ...identity }),
    );
    postgres.run(
      replaceAll(UPGRADE, [
        [/^OLD=.*$/m, `OLD=${binaries} FROM=${postgres.data}`],
        [/^NEW=.*$/m, `NEW=${binaries} TO=${next}`],
      ]),
    );
    await expect.poll(() => stateOf(service.address)).toBe(200);
    expect(await call(`/strings/${id}`)).toMatchObject({ value: 'kept' });
    expect(postgres.run('psql -Atc "show data_directory"')).toBe(`${next}\n`);

    await service.stop('SIGTERM');
    const moved = await startPostgres();
    moved.run(asAdministrator(ONE_ACCOUNT));
    moved.run(
      replaceAll(DUMP, [
        [/old\.example\.org/, `127.0.0.1:${postgres.port}`],
        [/new\.example\.org/, `127.0.0.1:${moved.port}`],
      ]),
    );
    expect(moved.run(`psql -Atc "select id from strings" limen`)).toContain(id);
  });
});
