// The previous release's code, checked out from the repository's history to run alongside today's.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The commit of the last release; the baseline's commit before the first one. Each release updates
 * it.
 */
export const EARLIER_RELEASE = '292c1aa3166b1748405f951fc8ce379c1e9a10db';

const ROOT = join(import.meta.dirname, '../../../..');

/** Returns whether the history contains it. A shallow clone or an archive does not. */
export function hasEarlierRelease(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${EARLIER_RELEASE}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

interface Checkout {
  /** Entry point of the service, which builds no pages */
  service: string;
  keyHolder: string;
  remove(): void;
}

/** Checks out its own packages, with the libraries installed for today's code. */
export function checkOutEarlierRelease(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'limen-earlier-'));
  const archive = execFileSync('git', ['archive', EARLIER_RELEASE, 'apps/server', 'packages', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const [installed, libraries] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(libraries, '@limen'), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== '@limen') symlinkSync(join(installed, name), join(libraries, name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(libraries, '@limen', name));
  const source = join(folder, 'apps/server/src');
  return {
    service: join(source, 'main.ts'),
    keyHolder: join(source, 'keyholder/main.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
