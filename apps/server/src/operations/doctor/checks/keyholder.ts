// Checks the key-holder: whether an external one answers and knows the secret, or whether the thread's folder is intact.
import pino from 'pino';
import type { Config } from '../../../config.ts';
import { examineFolder, type FolderState } from '../../../faces/keyholder/backup/examine-folder.ts';
import { findKeyHolderRecord, shortIdentity } from '../../../faces/keyholder/link/one.ts';
import { keyHolderFolder } from '../../../faces/keyholder/link/open.ts';
import { TlsLink } from '../../../faces/keyholder/link/tls.ts';
import { type DoctorCheck, type DoctorFinding, failure, ok, warning } from './check.ts';

export const checkKeyHolder: DoctorCheck = async ({ config, database }) => {
  const { KEYHOLDER_URL: urls, KEYHOLDER_SECRET: secrets } = config;
  // Undefined if the database is empty or does not answer.
  const record =
    database.state === 'answers' ? await findKeyHolderRecord(database.database).catch(() => undefined) : undefined;
  const recorded = record?.identity;
  if (urls !== undefined && secrets !== undefined) {
    return (await Promise.all(urls.map((url) => callKeyHolder(url, secrets, recorded)))).flat();
  }
  const state = await examineFolder(keyHolderFolder(config.DATA_DIR));
  return [...judgeFolder(state, config), ...judgeIdentity(state?.identity, recorded)];
};

function judgeIdentity(present: Uint8Array | undefined, recorded: Uint8Array | undefined): DoctorFinding[] {
  if (!recorded) return [];
  if (present && Buffer.from(present).equals(recorded)) {
    return [ok(`the database belongs to this key-holder (${shortIdentity(recorded)})`)];
  }
  const found = `the database belongs to the key-holder ${shortIdentity(recorded)}, and not to ${present ? shortIdentity(present) : 'one that does not exist yet'}`;
  const remedy = 'use KEYHOLDER_URL to share one, or restore its folder; if it is lost: limen keyholder accept';
  return [failure(found, remedy)];
}

async function callKeyHolder(url: string, secrets: readonly string[], recorded: Uint8Array | undefined) {
  const link = new TlsLink({ urls: [url], secrets, log: pino({ level: 'silent' }) });
  try {
    const { blobs } = await link.call('hello', {});
    return [ok(`the one at ${url} answers`), ...judgeIdentity(blobs[0], recorded)];
  } catch {
    const remedy =
      'start it (npm run keyholder) and check KEYHOLDER_URL and KEYHOLDER_SECRET; if it is the only one, no one can enroll until then';
    return [failure(`no key-holder at ${url}: ${link.state()}`, remedy)];
  } finally {
    await link.close();
  }
}

export function judgeFolder(state: FolderState | undefined, config: Pick<Config, 'DATABASE_URL'>): DoctorFinding[] {
  const where = `a thread of the server${config.DATABASE_URL === undefined ? '' : ', so this database has one server'}`;
  if (!state) return [ok(`${where}; its folder will be created when it is first needed`)];
  const { customers, olderKeys, audit } = state;
  const findings = [ok(`${where}, with keys of ${customers === 1 ? '1 customer' : `${customers} customers`}`)];
  if (olderKeys > 0) {
    findings.push(warning('a renewal of keys was not finished', 'run again: limen keys rotate-enrol'));
  }
  if (audit.state === 'broken') {
    const remedy = 'the file was edited or truncated: compare it with your own copy (docs/keyholder.md)';
    const where = audit.file === undefined ? '' : `${audit.file}, `;
    findings.push(failure(`audit: ${where}line ${audit.line} ${audit.problem}`, remedy));
  } else if (audit.isAfterMissing) {
    const remedy = 'nothing to do if you moved that file elsewhere; otherwise it was deleted (docs/keyholder.md)';
    findings.push(warning('audit: the file continues one that is not in the folder', remedy));
  } else {
    const lines = audit.lines === 1 ? '1 line' : `${audit.lines} lines`;
    findings.push(ok(`audit: ${lines}, each follows from the previous one`));
  }
  return findings;
}
