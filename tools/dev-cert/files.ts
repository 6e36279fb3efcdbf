// The folder that a development certificate lies in: what can be used of it, and how a part is replaced.
import { createPrivateKey, type KeyObject, randomUUID, X509Certificate } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeInnerFolder } from '../../apps/server/src/platform/make-folder.ts';
import { giveToOwnerOf } from '../../apps/server/src/platform/same-owner.ts';
import type { Issued } from './issue.ts';

export interface DevCertFolder {
  path: string;
  /** With a name and an ending that phones know what to do with. */
  authority: { certificate: string; key: string };
  server: { certificate: string; key: string };
}

export interface Pair {
  certificate: X509Certificate;
  key: KeyObject;
}

export function devCertFolder(dataDir: string): DevCertFolder {
  const path = resolve(dataDir, 'dev-cert');
  return {
    path,
    authority: { certificate: join(path, 'limen-dev-ca.crt'), key: join(path, 'limen-dev-ca.key') },
    server: { certificate: join(path, 'cert.pem'), key: join(path, 'key.pem') },
  };
}

/** Undefined where a file is missing or damaged, or where the two do not belong together: a pair is made anew then. */
export function readPair(files: { certificate: string; key: string }): Pair | undefined {
  try {
    const certificate = new X509Certificate(readFileSync(files.certificate));
    const key = createPrivateKey(readFileSync(files.key));
    return certificate.checkPrivateKey(key) ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
}

export function writePair(folder: DevCertFolder, files: { certificate: string; key: string }, issued: Issued): void {
  makeInnerFolder(folder.path);
  replaceFile(files.key, issued.key);
  replaceFile(files.certificate, issued.certificate);
}

/** Whole or not at all; a file that was open to others is not written into but replaced. */
function replaceFile(path: string, text: string): void {
  const partial = `${path}.${randomUUID()}`;
  try {
    const file = openSync(partial, 'wx', 0o600);
    try {
      giveToOwnerOf(dirname(path), file);
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
