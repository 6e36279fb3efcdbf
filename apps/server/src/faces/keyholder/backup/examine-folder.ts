// Examines the folder of a key-holder without its keys and without changing it: how many keys, and whether the audit is whole.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type ChainHead, checkAudit, type Segment } from '../audit/chain.ts';
import { keyHolderFile } from '../store/file.ts';

const BUSY_TIMEOUT_MS = 5_000;

export type FolderState = NonNullable<Awaited<ReturnType<typeof examineFolder>>>;

export async function examineFolder(folder: string) {
  const file = keyHolderFile(folder);
  const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!exists(file)) return undefined;
  // Without a write-ahead log no one has the file open, and reading must not create one.
  const location = pathToFileURL(file);
  if (!exists(`${file}-wal`)) location.searchParams.set('immutable', '1');
  const db = new DatabaseSync(location, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const count = (present: number) =>
      (db.prepare('select count(*) as n from enrol_keys where present = ?').get(present) as { n: number }).n;
    const head = db.prepare('select lines, bytes, hash from audit_head').get() as ChainHead | undefined;
    const start = db.prepare('select hash from audit_start').get() as { hash: string } | undefined;
    const segments = db.prepare('select * from audit_segments order by number').all() as unknown as Segment[];
    const audit = await checkAudit(folder, { head, start: start?.hash, segments });
    const named = db.prepare('select public_key from identity').get() as { public_key: Uint8Array } | undefined;
    return {
      identity: named?.public_key,
      customers: count(1),
      olderKeys: count(0),
      audit,
    };
  } finally {
    db.close();
  }
}
