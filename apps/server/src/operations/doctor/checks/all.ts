// Every check in the order in which it is shown. A new one is a function in a file of its own and one line here.

import type { DoctorCheck } from './check.ts';
import { checkClock } from './clock.ts';
import { checkDataFolder } from './data-folder.ts';
import { checkDatabase, checkJobs } from './database.ts';
import { checkDatasets } from './datasets.ts';
import { checkFaces, checkModels } from './faces.ts';
import { checkKeyHolder } from './keyholder.ts';
import { checkIdentityProvider, checkPasskeys, checkProxy, checkTls } from './network.ts';
import { checkAudit, checkMasterKeys, checkRows, checkSigningKeys } from './sealing.ts';
import { checkTrust, checkWalletCertificate } from './trust.ts';

export const CHECKS: readonly (readonly [name: string, check: DoctorCheck])[] = [
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
