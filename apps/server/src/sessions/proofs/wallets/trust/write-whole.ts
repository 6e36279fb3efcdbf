// Writes a small file so that whoever reads meanwhile sees the old one or the new one, and nothing between.
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeInnerFolder } from '../../../../platform/files/folder.ts';
import { giveToOwnerOf } from '../../../../platform/files/owner.ts';

export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  makeInnerFolder(folder, 0o755);
  const begun = join(folder, `.${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(begun, 'wx', 0o644);
    try {
      giveToOwnerOf(folder, file.fd);
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    await rename(begun, path);
  } catch (error) {
    await rm(begun, { force: true });
    throw error;
  }
}
