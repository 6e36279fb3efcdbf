// Reads the master key from the configuration, or from a 0600 file in the data folder that the first start creates.
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '../base/errors.ts';
import { syncAtOnce } from '../files/durable.ts';
import { makeFolder } from '../files/folder.ts';
import { matchOwner } from '../files/owner.ts';
import { KEY_BYTES } from './xaes-256-gcm.ts';

/** Returns undefined unless the text is base64 of exactly 32 bytes. */
export function parseMasterKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed)) return undefined;
  const key = Buffer.from(trimmed, 'base64');
  return key.length === KEY_BYTES ? key : undefined;
}

export function generateMasterKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Names a key without revealing it. */
export function masterKeyId(key: Uint8Array): Buffer {
  return createHash('sha256').update('limen master key id').update(key).digest().subarray(0, 8);
}

export function masterKeyFile(dataDir: string) {
  const path = join(dataDir, 'master.key');
  const nextPath = `${path}.next`;
  return {
    path,
    /** Returns undefined if there is no file. Tightens loose permissions. */
    read: (): Buffer | undefined => readKey(path),
    /** Creates the first key. Returns the key of another process that was faster. */
    create(): Buffer {
      makeFolder(dataDir);
      const temporary = `${path}.${process.pid}.tmp`;
      writeKey(temporary, generateMasterKey());
      try {
        linkSync(temporary, path); // never overwrites a key
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        rmSync(temporary, { force: true });
      }
      syncAtOnce(dataDir);
      const key = readKey(path);
      if (!key) throw new StartError(`The master key could not be written to ${path}.`);
      return key;
    },
    /** Stores the next key in a second file, before the database changes to it. */
    stageNext(key: Uint8Array): void {
      writeKey(nextPath, key);
      syncAtOnce(dataDir);
    },
    /** Returns the staged key of an interrupted rotation. */
    readNext: (): Buffer | undefined => readKey(nextPath),
    promoteNext(): void {
      renameSync(nextPath, path);
      syncAtOnce(dataDir);
    },
  };
}

function readKey(path: string): Buffer | undefined {
  if (!existsSync(path)) return undefined;
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  const key = parseMasterKey(readFileSync(path, 'utf8'));
  if (!key) {
    throw new StartError(
      `The master key file ${path} does not hold ${KEY_BYTES} bytes in base64; restore it from your backup. ` +
        'Nothing was changed.',
    );
  }
  return key;
}

function writeKey(path: string, key: Uint8Array): void {
  const file = openSync(path, 'w', 0o600);
  try {
    matchOwner(dirname(path), file);
    writeSync(file, `${Buffer.from(key).toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
