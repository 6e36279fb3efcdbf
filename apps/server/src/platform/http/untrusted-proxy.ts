// A note in the data folder for `limen doctor`: requests came through a proxy that TRUST_PROXY does not name.
import { existsSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'untrusted-proxy';

export const UNTRUSTED_PROXY =
  'requests come through a proxy that TRUST_PROXY does not name: all its clients count as one address, so no limit per address holds for them (set TRUST_PROXY to the address of the proxy)';

/** Ignores a folder that cannot be written, which is reported elsewhere. */
export async function noteUntrustedProxy(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, FILE), '', { mode: 0o600 }).catch(() => {});
}

/** Called at each start: the settings may have changed since the note was written. */
export function forgetUntrustedProxy(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true });
}

export function sawUntrustedProxy(dataDir: string): boolean {
  return existsSync(join(dataDir, FILE));
}
