// Every check in the order in which it is shown. A new one is a function in a file of its own and one line here.
import { checkAudit } from './audit.ts';
import type { Check } from './check.ts';
import { checkClock } from './clock.ts';
import { checkDataFolder } from './data-folder.ts';
import { checkDatabase } from './database.ts';
import { checkDatasets } from './datasets.ts';
import { checkFaces } from './faces.ts';
import { checkIdentityProvider } from './identity-provider.ts';
import { checkJobs } from './jobs.ts';
import { checkKeyHolder } from './keyholder.ts';
import { checkMasterKeys } from './master-key.ts';
import { checkModels } from './models.ts';
import { checkPasskeys } from './passkeys.ts';
import { checkProxy } from './proxy.ts';
import { checkRows } from './rows.ts';
import { checkSigningKeys } from './signing-keys.ts';
import { checkTls } from './tls.ts';
import { checkTrust } from './trust.ts';
import { checkWalletCertificate } from './wallet-certificate.ts';

export const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['tls', checkTls],
  ['proxy', checkProxy],
  ['data folder', checkDataFolder],
  ['database', checkDatabase],
  ['master key', checkMasterKeys],
  ['rows', checkRows],
  ['audit log', checkAudit],
  ['signing keys', checkSigningKeys],
  ['clock', checkClock],
  ['jobs', checkJobs],
  ['datasets', checkDatasets],
  ['faces', checkFaces],
  ['models', checkModels],
  ['key-holder', checkKeyHolder],
  ['passkeys', checkPasskeys],
  ['identity provider', checkIdentityProvider],
  ['trust', checkTrust],
  ['wallet certificate', checkWalletCertificate],
];
