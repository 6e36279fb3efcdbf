// The data key, wrapped by the master key. The wrap names its master key, to tell a wrong key from a damaged row.
import { randomBytes, randomUUID } from 'node:crypto';
import { StartError } from '../../../platform/base/errors.ts';
import { masterKeyId } from '../../../platform/sealing/master-key.ts';
import { createSealer, type Sealer } from '../../../platform/sealing/sealer.ts';
import { createXaes, KEY_BYTES } from '../../../platform/sealing/xaes-256-gcm.ts';
import type { Rows } from './store.ts';

const WRAP_CONTEXT = Buffer.from('keyholder/data_key');
const MASTER_KEY_ID_BYTES = 8;

export type MasterKeys = readonly [Uint8Array, ...Uint8Array[]];

export async function openVault(rows: Rows, masterKeys: MasterKeys, place: string): Promise<Sealer> {
  const row = await rows.get<{ id: string; wrapped: Uint8Array }>`select id, wrapped from vault`;
  if (!row) {
    const fresh = { id: randomUUID(), key: randomBytes(KEY_BYTES) };
    await rows.run`insert into vault (one, id, wrapped) values (1, ${fresh.id}, ${wrap(fresh.key, masterKeys[0])})`;
    return createSealer({ sealKeys: [fresh], lookupKey: fresh.key });
  }
  const key = unwrap(row.wrapped, masterKeys, place);
  return createSealer({ sealKeys: [{ id: row.id, key }], lookupKey: key });
}

/** Returns which of the master keys the data key is wrapped under, from 1; 0 if it is another one. */
export async function findMasterKey(rows: Rows, masterKeys: MasterKeys): Promise<number> {
  const { wrapped } = (await rows.get<{ wrapped: Uint8Array }>`select wrapped from vault`)!;
  return 1 + masterKeys.findIndex((key) => isWrappedBy(wrapped, key));
}

/** Wraps the data key under the first of the master keys. Returns false if it already is. */
export async function rewrapVault(rows: Rows, masterKeys: MasterKeys, place: string): Promise<boolean> {
  if ((await findMasterKey(rows, masterKeys)) === 1) return false;
  const { wrapped } = (await rows.get<{ wrapped: Uint8Array }>`select wrapped from vault`)!;
  await rows.run`update vault set wrapped = ${rewrapDataKey(wrapped, masterKeys, masterKeys[0], place)}`;
  return true;
}

export function rewrapDataKey(wrapped: Uint8Array, present: MasterKeys, next: Uint8Array, place: string): Uint8Array {
  const key = unwrap(wrapped, present, place);
  try {
    return wrap(key, next);
  } finally {
    key.fill(0);
  }
}

function wrap(key: Uint8Array, masterKey: Uint8Array): Uint8Array {
  return Buffer.concat([masterKeyId(masterKey), createXaes(masterKey).seal(key, WRAP_CONTEXT)]);
}

function isWrappedBy(wrapped: Uint8Array, masterKey: Uint8Array): boolean {
  return masterKeyId(masterKey).equals(wrapped.subarray(0, MASTER_KEY_ID_BYTES));
}

function unwrap(wrapped: Uint8Array, masterKeys: MasterKeys, place: string): Uint8Array {
  const masterKey = masterKeys.find((key) => isWrappedBy(wrapped, key));
  if (!masterKey) {
    throw new StartError(
      `The key-holder’s master key does not belong to its ${place}; start with the one it was created with, or last changed to. Nothing was changed.`,
    );
  }
  try {
    return createXaes(masterKey).open(wrapped.subarray(MASTER_KEY_ID_BYTES), WRAP_CONTEXT);
  } catch (cause) {
    throw new StartError('The key-holder’s data key is damaged and cannot be decrypted; restore a backup.', { cause });
  }
}
