// The certificate for signed requests: startup checks, their messages, and expiry.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOST, makeSignerFiles } from '@limen/wallet/testing/make-signer.ts';
import { expect, it, onTestFinished } from 'vitest';
import type { Facts } from '../../../operations/doctor/checks/check.ts';
import { checkWalletCertificate } from '../../../operations/doctor/checks/trust.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { readRequestCertificate, requireInForce, signerInForce } from './request-certificate.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-16T12:00:00Z');
const UNSET = 'or unset WALLET_CERT and WALLET_KEY to ask without a signature.';

function write(certificate: string, key: string) {
  const folder = mkdtempSync(join(tmpdir(), 'limen-wallet-cert-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { certFile: join(folder, 'c'), keyFile: join(folder, 'k') };
  writeFileSync(files.certFile, certificate);
  writeFileSync(files.keyFile, key);
  return files;
}

function read(certificate: string, key: string, prefix: 'x509_hash' | 'x509_san_dns' = 'x509_hash', host = HOST) {
  return readRequestCertificate({ ...write(certificate, key), prefix, host });
}

function sentenceOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(StartError);
    return (error as Error).message.replace(/\/\S+\/(?=[ck] )/, '/');
  }
  return 'taken';
}

it('is accepted if key, chain, curve and host match', async () => {
  const { certificate, key, root } = await makeSignerFiles();
  const taken = read(certificate + root, key);
  expect(taken).toMatchObject({ notBefore: NOW, notAfter: NOW + 30 * DAY_MS, isSelfSigned: false });
  expect(read(certificate, key, 'x509_san_dns').signer.clientId).toBe(`x509_san_dns:${HOST}`);
});

it('is refused with the fault and its fix', async () => {
  const [{ certificate, key, root }, other] = await Promise.all([makeSignerFiles(), makeSignerFiles()]);
  const longer = await makeSignerFiles({ curve: 'P-384' });
  expect(sentenceOf(() => read(key, certificate))).toBe(
    'WALLET_CERT: the file /c contains no certificate in PEM format. It contains a private key, which belongs in WALLET_KEY.',
  );
  expect(sentenceOf(() => read(certificate, other.key))).toBe(
    'WALLET_KEY does not belong to WALLET_CERT: set both to the files of one certificate.',
  );
  expect(sentenceOf(() => read(longer.certificate, longer.key))).toBe(
    `WALLET_CERT: The key must be on the curve P-256, because wallets need not support any other. Use one with its chain below it, ${UNSET}`,
  );
  expect(sentenceOf(() => read(certificate + other.root + root, key))).toBe(
    `WALLET_CERT: Each certificate in the file must be followed by its issuer. Use one with its chain below it, ${UNSET}`,
  );
  expect(sentenceOf(() => read(certificate, key, 'x509_san_dns', 'other.example'))).toBe(
    `WALLET_CERT: The certificate does not name the host other.example. Use one for this host, with its chain below it, ${UNSET}`,
  );
});

it('is refused at startup outside its validity, and not used after it expires', async () => {
  const { certificate, key } = await makeSignerFiles();
  const taken = read(certificate, key);
  const end = NOW + 30 * DAY_MS;
  expect(sentenceOf(() => requireInForce(taken, NOW))).toBe('taken');
  expect(sentenceOf(() => requireInForce(taken, NOW - 1))).toBe(
    `WALLET_CERT: the certificate is not valid before 2026-11-16T12:00:00.000Z. Check the clock, ${UNSET}`,
  );
  expect(sentenceOf(() => requireInForce(taken, end + 1))).toBe(
    `WALLET_CERT: the certificate expired at 2026-12-16T12:00:00.000Z. Put its successor there, ${UNSET}`,
  );
  expect(signerInForce(taken, { now: () => end })).toBe(taken.signer);
  expect(signerInForce(taken, { now: () => end + 1 })).toBeUndefined();
  expect(signerInForce(undefined, { now: () => NOW })).toBeUndefined();
});

it('is checked by the doctor, with a warning two weeks before it expires', async () => {
  const { certificate, key, root } = await makeSignerFiles();
  const look = async (cert: string, at: number, more: object = {}) => {
    const { certFile, keyFile } = write(cert, key);
    const config = { WALLET_CERT: certFile, WALLET_KEY: keyFile, WALLET_CLIENT_ID: 'x509_hash', HOST, ...more };
    const findings = await checkWalletCertificate({ config, clock: { now: () => at } } as unknown as Facts);
    return findings.map(({ level }) => level);
  };
  expect(await look(certificate, NOW)).toEqual(['ok']);
  expect(await look(certificate, NOW, { WALLET_CERT: undefined })).toEqual(['ok']);
  expect(await look(certificate, NOW + 17 * DAY_MS)).toEqual(['warning']);
  expect(await look(certificate, NOW + 31 * DAY_MS)).toEqual(['failure']);
  expect(await look(root, NOW)).toEqual(['failure']);
});
