// Checks the trust in wallets: unusable files, expiring authorities, and lists that expire or were
// not refreshed.
import { describeAnchor } from '@limen/wallet';
import { printTime } from '../../../command-line/terminal/print-table.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { describeAge } from '../../../platform/text/count-of.ts';
import { readRequestCertificate } from '../../../sessions/proofs/wallets/request-certificate.ts';
import { createTrustFolder, type StoredAnchor, type StoredCrl } from '../../../sessions/proofs/wallets/trust/folder.ts';
import { createTrustListStore, REFRESH_HOURS, type TrustList } from '../../../sessions/proofs/wallets/trust/lists.ts';
import {
  checkValidity,
  shortFingerprint,
  validityOfCrl,
} from '../../../sessions/proofs/wallets/trust/trusted-anchors.ts';
import { walletCertificateSettings } from '../../../sessions/settings.ts';
import { type DoctorCheck, type DoctorFinding, failure, ok, warning } from './check.ts';
import { judgeValidity } from './network.ts';

/** Age of a list after two failed refreshes */
const STALE_MS = 3 * REFRESH_HOURS * 3_600_000;

export const checkTrust: DoctorCheck = async ({ config, clock }) => {
  const { kept, crls, problems } = await createTrustFolder(config.DATA_DIR).read();
  const { lists, problems: broken } = await createTrustListStore(config.DATA_DIR).read();
  const useless = [...problems, ...broken].map(({ file, sentence }) =>
    warning(`trust/${file}: ${sentence.replace(/\.$/, '')}`, 'remove the file, or put the right one in its place'),
  );
  const now = clock.now();
  const lapsed = crls.flatMap((crl) => judgeCrl(crl, now));
  return [...judgeAnchors(kept, now), ...useless, ...judgeLists(lists, now), ...lapsed];
};

export function judgeAnchors(kept: readonly StoredAnchor[], now: number): DoctorFinding[] {
  if (kept.length === 0) return [ok('none, so no wallet is offered to live keys; see limen trust add')];
  const profiles = Map.groupBy(kept, ({ anchor }) => anchor.profile);
  const found = [...profiles].map(([profile, anchors]) => `${profile} (${anchors.length})`).join(', ');
  return [ok(found), ...kept.flatMap((anchor) => judgeAnchor(anchor, now))];
}

function judgeAnchor({ list, anchor }: StoredAnchor, now: number): DoctorFinding[] {
  const described = describeAnchor(anchor);
  const validity = checkValidity(described, now);
  if (validity !== 'expired' && validity !== 'expires_soon') return [];
  const when = `${validity === 'expired' ? 'expired' : 'expires'} on ${printTime(described.notAfter.getTime())}`;
  const short = shortFingerprint(described.fingerprint);
  const remedy =
    list === null
      ? `add its successor, then: limen trust remove ${short}`
      : `its list should have a successor: limen trust sync ${list}`;
  return [warning(`${described.profile}: ${described.name} (${short}) ${when}`, remedy)];
}

export function judgeLists(lists: readonly TrustList[], now: number): DoctorFinding[] {
  return lists.flatMap(({ name, checkedAt, nextUpdate }) => {
    const age = now - Date.parse(checkedAt);
    const isOverdue = nextUpdate !== null && Date.parse(nextUpdate) < now;
    if (age < STALE_MS && !isOverdue) return [];
    const found = `the list ${name} was last read ${describeAge(Math.max(0, age))} ago`;
    const overdue = isOverdue ? `, and a new one was due on ${printTime(Date.parse(nextUpdate))}` : '';
    return [warning(`${found}${overdue}`, `limen trust sync ${name}`)];
  });
}

export function judgeCrl({ file, description }: StoredCrl, now: number): DoctorFinding[] {
  const validity = validityOfCrl(description, now);
  if (validity !== 'expired' && validity !== 'expires_soon') return [];
  const { nextUpdate } = description;
  const when = nextUpdate
    ? `${validity === 'expired' ? 'lapsed' : 'lapses'} on ${printTime(nextUpdate.getTime())}`
    : 'has no expiry, so it is not used';
  return [
    warning(
      `trust/${file}: the list of revoked certificates ${when}`,
      'replace it with a newer one from its authority',
    ),
  ];
}

export const checkWalletCertificate: DoctorCheck = async ({ config, clock }) => {
  const settings = walletCertificateSettings(config);
  if (!settings) return [ok('off (WALLET_CERT is not set), so requests to wallets are not signed')];
  try {
    const { notBefore, notAfter, isSelfSigned } = readRequestCertificate(settings);
    const alone = warning(
      'the certificate is self-signed, so wallets refuse what it signs',
      'get one from an authority that the wallets trust',
    );
    return [judgeValidity(notBefore, notAfter, clock.now()), ...(isSelfSigned ? [alone] : [])];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [failure(error.message, 'set WALLET_CERT and WALLET_KEY to the PEM files of one certificate')];
  }
};
