// A key-holder's folder is copied while it runs, and put back whole or not at all.
import { appendFileSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditFile } from '../audit/audit-chain.ts';
import { epochOf } from '../testing/faces.ts';
import { makeFolder } from '../testing/folder.ts';
import { openLocalKeyHolder } from '../testing/local-key-holder.ts';
import { backUpFolder, restoreFolder } from './copy-folder.ts';
import { examineFolder } from './examine-folder.ts';

const NOW = Date.UTC(2026, 10, 17);

/** One that has written lines of two days, is running, and its backup. */
async function prepareBackup() {
  const folder = makeFolder();
  const holder = await openLocalKeyHolder({ folder });
  await epochOf(holder, 'acme');
  holder.clock.advance(86_400_000);
  await epochOf(holder, 'other');
  const target = join(makeFolder(), 'new');
  const names = backUpFolder(folder, target, NOW);
  const before = await examineFolder(folder);
  return { holder, folder, target, names, before };
}

describe('a backup of a key-holder', () => {
  it('is put back with all keys and its audit whole, and the one it was taken of went on', async () => {
    const { holder, target, before } = await prepareBackup();
    await epochOf(holder, 'third');
    await holder.close();
    const folder = join(makeFolder(), 'restored');
    expect(restoreFolder(target, folder)).toBe('2026-11-17T00:00:00.000Z');
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
    restoreFolder(target, folder);
    const again = await openLocalKeyHolder({ folder });
    await epochOf(again, 'fourth');
    expect(readdirSync(folder).filter((name) => statSync(join(folder, name)).uid !== 12_345)).toEqual([]);
    await again.close();
  });

  it('has nothing but the database and the audit', async () => {
    const { holder, target, names } = await prepareBackup();
    await holder.close();
    expect(names).toContain('keyholder.sqlite');
    expect(
      readdirSync(target).every((name) => /^(audit.*\.jsonl|keyholder\.sqlite|key-holder-backup\.json)$/.test(name)),
    ).toBe(true);
  });

  it('is refused where a file was changed, where it is incomplete, and where a key-holder is already', async () => {
    const { holder, folder, target } = await prepareBackup();
    await holder.close();
    expect(() => restoreFolder(target, folder)).toThrow(
      /^There is a key-holder in .* If a start before the restore made it, remove it and try again\.$/,
    );
    expect(() => backUpFolder(folder, target, NOW)).toThrow('is not empty');
    appendFileSync(auditFile(target), '{}\n');
    const empty = makeFolder();
    expect(() => restoreFolder(target, empty)).toThrow('audit.jsonl is not as it was written');
    rmSync(join(target, 'key-holder-backup.json'));
    expect(() => restoreFolder(target, empty)).toThrow('There is no backup of a key-holder');
    expect(readdirSync(empty)).toEqual([]);
  });
});
