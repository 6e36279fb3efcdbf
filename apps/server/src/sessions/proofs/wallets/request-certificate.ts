// The certificate that signs requests to wallets: read at the start, used while it is valid.
import { type RequestSigner, readRequestSigner, SignerError, type SignerName } from '@limen/wallet';
import type { Clock } from '../../../platform/base/clock.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { type KeyPairFiles, readKeyPair } from '../../../platform/files/key-pair.ts';

export interface RequestCertificateSettings extends KeyPairFiles {
  prefix: SignerName['prefix'];
  host: string;
}

type RequestCertificate = ReturnType<typeof readRequestCertificate>;

const WITHOUT = 'or unset WALLET_CERT and WALLET_KEY to ask without a signature';

export function readRequestCertificate(settings: RequestCertificateSettings) {
  const { prefix, host } = settings;
  const { cert, key, certificate } = readKeyPair({ cert: 'WALLET_CERT', key: 'WALLET_KEY' }, settings);
  return {
    signer: readSigner(cert.toString(), key.toString(), prefix === 'x509_san_dns' ? { prefix, host } : { prefix }),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    isSelfSigned: certificate.checkIssued(certificate),
  };
}

function readSigner(cert: string, key: string, name: SignerName): RequestSigner {
  try {
    return readRequestSigner(cert, key, name);
  } catch (error) {
    if (!(error instanceof SignerError)) throw error;
    const remedy =
      name.prefix === 'x509_san_dns' ? 'one for this host, with its chain below it' : 'one with its chain below it';
    throw new StartError(`WALLET_CERT: ${error.message} Use ${remedy}, ${WITHOUT}.`);
  }
}

/** Rejects an unusable certificate at startup. A certificate that expires later is only left out. */
export function requireInForce({ notBefore, notAfter }: RequestCertificate, now: number): void {
  if (notAfter < now) {
    const day = new Date(notAfter).toISOString();
    throw new StartError(`WALLET_CERT: the certificate expired at ${day}. Put its successor there, ${WITHOUT}.`);
  }
  if (notBefore > now) {
    const day = new Date(notBefore).toISOString();
    throw new StartError(`WALLET_CERT: the certificate is not valid before ${day}. Check the clock, ${WITHOUT}.`);
  }
}

export function signerInForce(certificate: RequestCertificate | undefined, clock: Clock): RequestSigner | undefined {
  return certificate && clock.now() <= certificate.notAfter ? certificate.signer : undefined;
}
