// Checks the key-holder: that the one of its own answers and knows the secret, or that the thread's folder is whole.
import pino from 'pino';
import type { Config } from '../../config.ts';
import { keyHolderFolder } from '../../core/keyholder/open-key-holder.ts';
import { createTlsLink } from '../../core/keyholder/tls-link.ts';
import { examineFolder, type FolderState } from '../../keyholder/examine-folder.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';

export const checkKeyHolder: Check = async ({ config }) => {
  const { KEYHOLDER_URL: url, KEYHOLDER_SECRET: secret } = config;
  if (url !== undefined && secret !== undefined) return [await callKeyHolder(url, secret)];
  return judgeFolder(await examineFolder(keyHolderFolder(config.DATA_DIR)), config);
};

async function callKeyHolder(url: string, secret: string): Promise<Finding> {
  const link = createTlsLink(url, secret, pino({ level: 'silent' }));
  try {
    await link.call('hello', {});
    return ok(`the one at ${url} answers`);
  } catch {
    const remedy =
      'start it (npm run keyholder) and check KEYHOLDER_URL and KEYHOLDER_SECRET; nobody can enrol meanwhile';
    return failure(`no key-holder: ${link.state()}`, remedy);
  } finally {
    await link.close();
  }
}

export function judgeFolder(state: FolderState | undefined, config: Pick<Config, 'DATABASE_URL'>): Finding[] {
  const where = `a thread of the server${config.DATABASE_URL === undefined ? '' : ', so this database has one server'}`;
  if (!state) return [ok(`${where}; its folder will be made when it is first needed`)];
  const { customers, olderKeys, audit } = state;
  const findings = [ok(`${where}, with keys of ${customers === 1 ? '1 customer' : `${customers} customers`}`)];
  if (olderKeys > 0) {
    findings.push(warning('a renewal of keys has not come to its end', 'run again: limen keys rotate-enrol'));
  }
  if (audit.state === 'broken') {
    const remedy = 'somebody changed or cut the file: compare it with a copy of yours (docs/keyholder.md)';
    const where = audit.file === undefined ? '' : `${audit.file}, `;
    findings.push(failure(`audit: ${where}line ${audit.line} ${audit.problem}`, remedy));
  } else if (audit.isAfterMissing) {
    const remedy = 'nothing to do if you put that file away elsewhere; else somebody deleted it (docs/keyholder.md)';
    findings.push(warning('audit: the file goes on from one that is not in the folder', remedy));
  } else {
    findings.push(
      ok(`audit: ${audit.lines === 1 ? '1 line' : `${audit.lines} lines`}, each follows from the one before`),
    );
  }
  return findings;
}
