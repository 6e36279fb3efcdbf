// The `npm run dev-cert` command: output, refusals, and a service that starts with its files.
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { pictureOf, runLimenHere, startServer } from '../../apps/server/testing/run-limen.ts';
import { runToolHere } from '../testing/run-tool-here.ts';

function prepare() {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-dev-cert-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const environment = { DATA_DIR: dataDir };
  const run = (args: string[] = [], more: Record<string, string> = {}) =>
    runToolHere('dev-cert', args, { ...environment, ...more });
  return { dataDir, run };
}

it('creates the files and explains how to start the service, what to open and what to install', async () => {
  const { dataDir } = prepare();
  const npm = promisify(execFile)('npm', ['run', '--silent', 'dev-cert'], {
    env: { ...process.env, DATA_DIR: dataDir },
  });
  const { stdout, stderr } = await npm;
  expect(stderr).toBe('');
  const file = (name: string) => join(dataDir, 'dev-cert', name);
  const start = stdout.split('\n').find((line) => line.endsWith(' npm start'));
  expect(start).toContain(` TLS_CERT=${file('cert.pem')} TLS_KEY=${file('key.pem')} PUBLIC_URL=`);
  const address = /PUBLIC_URL='?(https:\/\/[^\s']+:8080)/.exec(stdout)?.[1];
  expect(stdout).toContain(`Then open ${address}/demo here`);
  const authority = new X509Certificate(readFileSync(file('limen-dev-ca.crt')));
  // Concatenated in one file, as HAProxy requires.
  const bundle = ['cert.pem', 'key.pem', 'limen-dev-ca.crt'].map((name) => readFileSync(file(name), 'utf8')).join('');
  expect(bundle).toMatch(/^(-----BEGIN ([A-Z ]+)-----\n[\w+/=\n]+-----END \2-----\n){3}$/);
  expect(stdout).toMatch(new RegExp(`^  authority +${file('limen-dev-ca.crt')}$`, 'm'));
  expect(stdout).toContain(authority.fingerprint256);
  expect(stdout).toContain('For development only.');
  expect(stdout).not.toContain('PRIVATE KEY');
});

it('prints JSON, keeps the port, and accepts further names', async () => {
  const { dataDir, run } = prepare();
  const { code, stdout } = await run(['--json', 'Demo.Example', '198.51.100.7'], { PORT: '9443' });
  expect(code).toBe(0);
  const told = JSON.parse(stdout);
  expect(told).toMatchObject({
    authority: { file: join(dataDir, 'dev-cert', 'limen-dev-ca.crt'), made: true },
    certificate: { made: true },
    environment: { DATA_DIR: dataDir, PORT: '9443', TLS_CERT: join(dataDir, 'dev-cert', 'cert.pem') },
    address: expect.stringMatching(/^https:.*:9443$/),
  });
  expect(told.environment.PUBLIC_URL).toBe(told.address);
  expect(told.certificate.names).toEqual(
    expect.arrayContaining(['localhost', '127.0.0.1', '::1', 'demo.example', '198.51.100.7']),
  );
});

it('reports what a second call kept and what --new replaced', async () => {
  const { run } = prepare();
  expect((await run()).stdout).toMatch(/^Made a new authority \(there was none yet\) and a certificate;/);
  expect((await run()).stdout).toMatch(/^Authority and certificate are still good; nothing was changed\./);
  expect((await run(['demo.lan'])).stdout).toMatch(/^Made a new certificate \(names or addresses have changed\)/);
  expect((await run(['--new'])).stdout).toMatch(/^Made a new authority \(as asked\) and a certificate;/);
});

it('refuses in production and leaves the folder unchanged', async () => {
  const { dataDir, run } = prepare();
  const { code, stdout, stderr } = await run([], { NODE_ENV: 'production' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^This certificate is for development only, but NODE_ENV is production/);
  expect(pictureOf(dataDir)).toEqual({});
});

it.each([['https://laptop'], ['a b'], ['192.168.1.256']])('rejects %j as an invalid argument', async (name) => {
  const { dataDir, run } = prepare();
  const { code, stdout, stderr } = await run([name]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('It is neither a host name nor an address.');
  expect(existsSync(join(dataDir, 'dev-cert'))).toBe(false);
});

it('creates files with which the service starts and passes its doctor', async () => {
  const { dataDir, run } = prepare();
  const { environment, authority } = JSON.parse((await run(['--json'])).stdout);
  const server = await startServer({ ...environment, HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir });
  if (!('address' in server)) throw new Error(server.stderr);
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${server.address}/health`, { ca: readFileSync(authority.file) }, resolve).on('error', reject);
  });
  reply.resume();
  expect(reply.statusCode).toBe(200);
  // Browsers would remember it for a year, for every port of localhost.
  expect(reply.headers['strict-transport-security']).toBeUndefined();
  await expect(fetch(`${server.address}/health`)).rejects.toThrow();
  const doctor = await runLimenHere(['doctor', '--json'], { environment });
  const tls = JSON.parse(doctor.stdout).findings.filter(({ check }: { check: string }) => check === 'tls');
  expect(tls).toEqual([{ check: 'tls', level: 'ok', found: expect.stringMatching(/^certificate valid until /) }]);
});
