// Writes a small file so that whoever reads meanwhile sees the old one or the new one, and nothing between.
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const begun = join(folder, `.${randomBytes(8).toString('hex')}`);
  try {
    await writeFile(begun, text, { mode: 0o644 });
    await rename(begun, path);
  } catch (error) {
    await rm(begun, { force: true });
    throw error;
  }
}
