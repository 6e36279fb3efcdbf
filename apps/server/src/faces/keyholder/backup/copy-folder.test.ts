// A key-holder's folder is copied while it runs, and restored completely or not at all.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { epochOf } from '#testing/faces/faces.ts';
import { makeFolder } from '#testing/faces/folder.ts';
import { openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { auditFile, isAuditFile } from '../audit/chain.ts';
import { backUpFolder, restoreFolder } from './copy-folder.ts';
import { examineFolder } from './examine-folder.ts';

const NOW = Date.UTC(2026, 10, 17);
const DAY_MS = 86_400_000;

/** Makes a running key-holder with lines of two days, and its backup. */
async function prepareBackup() {
  const folder = makeFolder();
  const holder = await openLocalKeyHolder({ folder });
  await epochOf(holder, 'acme');
  holder.clock.advance(DAY_MS);
  await epochOf(holder, 'other');
  const target = join(makeFolder(), 'new');
  const names = await backUpFolder(folder, target, NOW);
  const before = await examineFolder(folder);
  return { holder, folder, target, names, before };
}

describe('a backup of a key-holder', () => {
  it('restores all keys and the whole audit while the original keeps running', async () => {
    const { holder, target, before } = await prepareBackup();
    await epochOf(holder, 'third');
    await holder.close();
    const folder = join(makeFolder(), 'restored');
    expect(await restoreFolder(target, folder)).toBe('2026-11-17T00:00:00.000Z');
    const after = await examineFolder(folder);
    expect(after).toEqual(before);
    expect(after).toMatchObject({ customers: 2, audit: { state: 'whole' } });
    const again = await openLocalKeyHolder({ folder });
    expect(await again.identity()).toEqual(before!.identity);
    await again.close();
  });

  it.runIf(process.getuid?.() === 0)('that root puts back belongs to whom the folder belongs to', async () => {
    const { holder, target } = await prepareBackup();
    await holder.close();
    const folder = makeFolder();
    chownSync(folder, 12_345, 12_345);
    await restoreFolder(target, folder);
    const again = await openLocalKeyHolder({ folder });
    await epochOf(again, 'fourth');
    expect(readdirSync(folder).filter((name) => statSync(join(folder, name)).uid !== 12_345)).toEqual([]);
    await again.close();
  });

  it('contains only the database and the audit', async () => {
    const { holder, target, names } = await prepareBackup();
    await holder.close();
    expect(names).toContain('keyholder.sqlite');
    expect(
      readdirSync(target).every((name) => /^(audit.*\.jsonl|keyholder\.sqlite|key-holder-backup\.json)$/.test(name)),
    ).toBe(true);
  });

  it('is refused if changed, incomplete, or restored over another key-holder', async () => {
    const { holder, folder, target } = await prepareBackup();
    await holder.close();
    await expect(restoreFolder(target, folder)).rejects.toThrow(
      /^There is a key-holder in .* If a start before the restore made it, remove it and try again\.$/,
    );
    await expect(backUpFolder(folder, target, NOW)).rejects.toThrow('is not empty');
    appendFileSync(auditFile(target), '{}\n');
    const empty = makeFolder();
    await expect(restoreFolder(target, empty)).rejects.toThrow('audit.jsonl was changed after the backup was taken');
    rmSync(join(target, 'key-holder-backup.json'));
    await expect(restoreFolder(target, empty)).rejects.toThrow('There is no backup of a key-holder');
    expect(readdirSync(empty)).toEqual([]);
  });

  it('does not block the key-holder for archived days, and copes with concurrent changes', async () => {
    const folder = makeFolder();
    const holder = await openLocalKeyHolder({ folder, auditDays: 1 });
    onTestFinished(() => holder.close());
    await epochOf(holder, 'acme');
    holder.clock.advance(DAY_MS);
    await epochOf(holder, 'other');
    const before = readdirSync(folder).filter(isAuditFile);
    const slow = join(folder, 'audit-2020-01-01.99.jsonl');
    execFileSync('mkfifo', [slow]); // blocks its reader until someone writes
    const target = makeFolder();
    const taken = backUpFolder(folder, target, NOW);
    holder.clock.advance(3 * DAY_MS); // days are archived and deleted
    await epochOf(holder, 'third');
    await (await open(slow, 'w')).close();
    await taken;

    rmSync(slow);
    rmSync(join(target, 'audit-2020-01-01.99.jsonl'));
    const after = readdirSync(folder).filter(isAuditFile).sort();
    expect(after).not.toEqual(before.sort());
    expect(readdirSync(target).filter(isAuditFile).sort()).toEqual(after);
    expect(await examineFolder(target)).toEqual(await examineFolder(folder));
  });

  it('leaves nothing behind that is not under the new master key', async () => {
    const { holder, folder } = await prepareBackup();
    await holder.close();
    const target = makeFolder();
    const keys = { present: [Buffer.alloc(32, 8)] as const, next: Buffer.alloc(32, 9) };
    await expect(backUpFolder(folder, target, NOW, keys)).rejects.toThrow('does not belong to its folder');
    expect(readdirSync(target)).toEqual([]);
  });

  it('is refused if a file is unreadable, whatever its checksum claims', async () => {
    const { holder, target } = await prepareBackup();
    await holder.close();
    rmSync(auditFile(target));
    mkdirSync(auditFile(target));
    await expect(restoreFolder(target, makeFolder())).rejects.toThrow('audit.jsonl of the backup is missing or cannot');
    const manifest = join(target, 'key-holder-backup.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/(?<="audit\.jsonl",\s*"sha256": ")\w+/, ''));
    await expect(restoreFolder(target, makeFolder())).rejects.toThrow('key-holder-backup.json is missing or damaged');
  });

  it('is not restored next to a foreign write-ahead log, which SQLite would replay', async () => {
    const { holder, target } = await prepareBackup();
    await holder.close();
    const folder = makeFolder();
    writeFileSync(join(folder, 'keyholder.sqlite-wal'), '');
    await expect(restoreFolder(target, folder)).rejects.toThrow('the rest of one (keyholder.sqlite-wal)');
    expect(readdirSync(folder)).toEqual(['keyholder.sqlite-wal']);
  });

  it('is restored by a second attempt after an interruption, unless that was another backup', async () => {
    const { holder, target, before } = await prepareBackup();
    await holder.close();
    const folder = makeFolder();
    await restoreFolder(target, folder);
    rmSync(join(folder, 'keyholder.sqlite'));
    mkdirSync(join(folder, '.restoring'));
    writeFileSync(join(folder, '.restoring', 'keyholder.sqlite'), 'torn');
    await restoreFolder(target, folder);
    expect(readdirSync(folder)).not.toContain('.restoring');
    expect(await examineFolder(folder)).toEqual(before);

    rmSync(join(folder, 'keyholder.sqlite'));
    appendFileSync(auditFile(folder), '{}\n');
    await expect(restoreFolder(target, folder)).rejects.toThrow('the rest of one (audit.jsonl)');
  });
});
