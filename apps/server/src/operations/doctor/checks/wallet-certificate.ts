// Checks the certificate that signs requests to wallets: readable, matching its key, valid for a while yet, vouched for by somebody.

import { StartError } from '../../../platform/base/errors.ts';
import { readRequestCertificate } from '../../../sessions/proofs/wallets/request-certificate.ts';
import { walletCertificateSettings } from '../../../sessions/settings.ts';
import { type Check, failure, ok, warning } from './check.ts';
import { judgeValidity } from './tls.ts';

export const checkWalletCertificate: Check = async ({ config, clock }) => {
  const settings = walletCertificateSettings(config);
  if (!settings) return [ok('off (WALLET_CERT is not set), so requests to wallets are not signed')];
  try {
    const { notBefore, notAfter, isSelfSigned } = readRequestCertificate(settings);
    const alone = warning(
      'nobody but itself vouches for the certificate, so wallets refuse what it signs',
      'get one from an authority that the wallets know',
    );
    return [judgeValidity(notBefore, notAfter, clock.now()), ...(isSelfSigned ? [alone] : [])];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [failure(error.message, 'set WALLET_CERT and WALLET_KEY to the PEM files of one certificate')];
  }
};
