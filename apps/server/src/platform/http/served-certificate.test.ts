// Certificate renewal on real connections: new ones get it, open ones continue, a bad pair changes
// nothing.
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { createMetrics } from '../watch/metrics.ts';
import { createListener } from './listener.ts';
import { openCertificate, readTls } from './served-certificate.ts';
import { createHttpServer } from './server.ts';

const PAIRS = join(import.meta.dirname, '../../../testing/tls');
const sourceOf = (name: 'first' | 'renewed', part: 'cert' | 'key') =>
  join(PAIRS, name === 'first' ? `${part}.pem` : `renewed-${part}.pem`);
const fingerprintOf = (name: 'first' | 'renewed') =>
  readTls({ certFile: sourceOf(name, 'cert'), keyFile: sourceOf(name, 'key') }).certificate.fingerprint256;
const hasIpv6 = Object.values(networkInterfaces()).some((some) => some?.some(({ address }) => address === '::1'));
const LOOPBACK = hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'];

async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'limen-certificate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const put = (name: 'first' | 'renewed', parts: ('cert' | 'key')[] = ['cert', 'key']) => {
    for (const part of parts) copyFileSync(sourceOf(name, part), part === 'cert' ? files.certFile : files.keyFile);
  };
  put('first');
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const clock = createManualClock(Date.parse('2026-11-19T00:00:00Z'));
  const metrics = createMetrics(false);
  const settings = { ...files, forGood: false };
  const certificate = openCertificate(settings, { metrics, clock, log });
  const http = createHttpServer(
    { metrics, log: pino({ level: 'silent' }) },
    { tls: { pair: certificate.pair, forGood: false } },
  );
  onTestFinished(() => http.close());
  const reload = certificate.keepCurrent(http);
  const answer = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  http.get('/later', async () => {
    asked.resolve();
    await answer.promise;
    return { answered: true };
  });
  await createListener(http, { host: 'localhost', port: 0, secure: true }).listen();
  const { port } = http.server.address() as AddressInfo;
  const open = async (host = LOOPBACK[0]!) => {
    const socket = connect({ host, port, rejectUnauthorized: false });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  const presented = async (host?: string) => {
    const socket = await open(host);
    const { fingerprint256 } = socket.getPeerX509Certificate()!;
    socket.end();
    await once(socket, 'close');
    return fingerprint256;
  };
  const expiry = async () => /^limen_tls_certificate_expires_seconds (\S+)$/m.exec(await metrics.text())?.[1];
  return {
    folder,
    files,
    put,
    lines,
    clock,
    http,
    port,
    open,
    presented,
    expiry,
    reload,
    answer,
    asked: asked.promise,
  };
}

it('presents a renewed certificate at both loopback addresses, and finishes open requests', async () => {
  const server = await startServer();
  for (const host of LOOPBACK) expect(await server.presented(host)).toBe(fingerprintOf('first'));
  const socket = await server.open();
  const reply = text(socket);
  socket.write('GET /later HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await server.asked;

  server.put('renewed');
  server.reload();
  server.reload();
  for (const host of LOOPBACK) expect(await server.presented(host)).toBe(fingerprintOf('renewed'));
  expect(server.lines.map(({ level, fingerprint256 }) => [level, fingerprint256])).toEqual([
    [30, fingerprintOf('renewed')],
    [30, fingerprintOf('renewed')],
  ]);
  server.answer.resolve();
  expect(await reply).toContain('{"answered":true}');
});

it('keeps the old certificate if the new pair is unusable, and logs why without quoting it', async () => {
  const server = await startServer();
  const { certFile, keyFile } = server.files;
  const spoil: [() => void, string][] = [
    [
      () => server.put('renewed', ['cert']),
      'TLS_KEY does not belong to TLS_CERT: set both to the files of one certificate.',
    ],
    [() => writeFileSync(keyFile, 'secret'), `TLS_KEY: the file ${keyFile} contains no private key in PEM format.`],
    [() => rmSync(keyFile), `TLS_KEY: the file ${keyFile} cannot be read (ENOENT).`],
    [() => writeFileSync(certFile, ''), `TLS_CERT: the file ${certFile} contains no certificate in PEM format.`],
  ];
  for (const [change, reason] of spoil) {
    server.put('first');
    change();
    server.reload();
    expect(server.lines.at(-1)).toEqual({
      level: 50,
      time: expect.anything(),
      certFile,
      keyFile,
      reason,
      msg: expect.any(String),
    });
    expect(await server.presented()).toBe(fingerprintOf('first'));
  }
  expect(JSON.stringify(server.lines)).not.toMatch(/secret|BEGIN/);
  server.put('renewed');
  server.reload();
  expect(await server.presented()).toBe(fingerprintOf('renewed'));
});

it('checks every minute for changed files, symbolic links included, and reports a bad pair once', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startServer();
  vi.advanceTimersByTime(600_000);
  expect(server.lines).toEqual([]);

  // Kubernetes replaces the symbolic link to the old version.
  const version = join(server.folder, 'version');
  mkdirSync(version);
  for (const part of ['cert', 'key'] as const) {
    copyFileSync(sourceOf('renewed', part), join(version, part));
    const file = join(server.folder, `${part}.pem`);
    rmSync(file);
    symlinkSync(join(version, part), file);
  }
  vi.advanceTimersByTime(60_000);
  expect(await server.presented()).toBe(fingerprintOf('renewed'));

  rmSync(join(version, 'key'));
  vi.advanceTimersByTime(600_000);
  expect(server.lines.map(({ level }) => level)).toEqual([30, 50]);
  copyFileSync(sourceOf('renewed', 'key'), join(version, 'key'));
  vi.advanceTimersByTime(60_000);
  expect(server.lines.map(({ level }) => level)).toEqual([30, 50, 30]);

  await server.http.close();
  writeFileSync(join(version, 'key'), '');
  vi.advanceTimersByTime(600_000);
  expect(server.lines).toHaveLength(3);
});

it('exports the remaining lifetime of the active certificate as a metric', async () => {
  const server = await startServer();
  const untilEnd = (name: 'first' | 'renewed') => {
    const { certFile, keyFile } = { certFile: sourceOf(name, 'cert'), keyFile: sourceOf(name, 'key') };
    return String((Date.parse(readTls({ certFile, keyFile }).certificate.validTo) - server.clock.now()) / 1000);
  };
  expect(await server.expiry()).toBe(untilEnd('first'));
  server.put('renewed');
  expect(await server.expiry()).toBe(untilEnd('first'));
  server.reload();
  expect(await server.expiry()).toBe(untilEnd('renewed'));
});
