// Issuers with one fault in their certificates.
import type { Extension } from '@peculiar/x509';
import { PROFILES } from '../src/profiles/profiles.ts';
import { readAnchor, type TrustAnchor } from '../src/trust/anchors.ts';
import { loadX509, type X509 } from '../src/trust/certificate.ts';
import { makeCertificate, rootExtensions, signerExtensions } from '../test-issuer/make-certificates.ts';
import { deriveSigningKeys, type TestIssuer } from '../test-issuer/test-issuer.ts';
import { NOW } from './requests.ts';

export interface Fault {
  root?: (x509: X509) => Extension[];
  /** Adds a second authority between root and signer, with these options. */
  middle?: (x509: X509) => Extension[];
  signer?: (x509: X509) => Extension[];
  signerDates?: [Date, Date];
  rootDates?: [Date, Date];
  /** Algorithm that signs the signer's certificate. */
  signerHash?: string;
  /** Uses another root with the same name. */
  otherRootKey?: boolean;
  /** Makes the wallet send another certificate of the same authority. */
  renewed?: boolean;
  /** Names another issuer in the signer's certificate. */
  issuerName?: string;
}

const DAY_MS = 86_400_000;
const SEED = new Uint8Array(32).fill(9);
const DATES: [Date, Date] = [daysFrom(NOW, -100), daysFrom(NOW, 100)];
const [ROOT, MIDDLE, SIGNER] = ['C=UT, CN=Root', 'C=UT, CN=Middle', 'C=UT, CN=Signer'];

export function daysFrom(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

/** An authority with an unknown critical extension. */
export function oddRootExtensions(x509: X509): Extension[] {
  return [...rootExtensions(x509), new x509.Extension('1.2.3.4', true, Uint8Array.of(5, 0).buffer)];
}

export async function createBrokenIssuer(fault: Fault): Promise<TestIssuer> {
  const x509 = await loadX509();
  const profile = PROFILES.mdl;
  const [rootKeys, middleKeys, signerKeys, otherKeys] = await Promise.all(
    [0, 1, 2, 3].map((number) => deriveSigningKeys(SEED, number)),
  );
  if (!rootKeys || !middleKeys || !signerKeys || !otherKeys) throw new Error('Keys are missing.');
  const make = (options: Omit<Parameters<typeof makeCertificate>[0], 'notBefore' | 'notAfter'>, dates = DATES) =>
    makeCertificate({ ...options, notBefore: dates[0], notAfter: dates[1] });
  const ofRoot = {
    name: ROOT,
    issuerName: ROOT,
    publicKey: (fault.otherRootKey ? otherKeys : rootKeys).publicKey,
    signingKey: (fault.otherRootKey ? otherKeys : rootKeys).privateKey,
    extensions: (fault.root ?? rootExtensions)(x509),
  };
  const rootDer = await make(ofRoot, fault.rootDates);
  const renewed = fault.renewed ? await make(ofRoot, [DATES[0], daysFrom(DATES[1], 1)]) : null;
  const middle = fault.middle
    ? await make({
        name: MIDDLE,
        issuerName: ROOT,
        publicKey: middleKeys.publicKey,
        signingKey: rootKeys.privateKey,
        extensions: fault.middle(x509),
      })
    : null;
  const signer = await make(
    {
      name: SIGNER,
      issuerName: fault.issuerName ?? (middle ? MIDDLE : ROOT),
      publicKey: signerKeys.publicKey,
      signingKey: (middle ? middleKeys : rootKeys).privateKey,
      extensions: fault.signer?.(x509) ?? signerExtensions(x509, profile),
      ...(fault.signerHash !== undefined && { hash: fault.signerHash }),
    },
    fault.signerDates,
  );
  const anchor: TrustAnchor = await readAnchor(rootDer, profile.id, true).catch(() => {
    throw new Error('The root of this fault cannot be an anchor.');
  });
  const chain = [signer, middle, renewed].filter((der) => der !== null);
  const authorityKey = (middle ? middleKeys : rootKeys).privateKey;
  return { profile, anchor, chain, signingKey: signerKeys.privateKey, authorityKey };
}
